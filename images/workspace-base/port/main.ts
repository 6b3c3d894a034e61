import { openProxyPort } from '../agent/egress/proxy-port.ts';
import { openAppPort } from './app-port.ts';
import { runApp } from './app-process.ts';
import { readSettings } from './settings.ts';

// What an app with no network of its own is reached by, and what it reaches: a socket that leads to its port, and a port
// of loopback that leads to its egress proxy. With a command, it also starts the app itself.

process.umask(0o022);

try {
  const { socket, app, proxy } = readSettings(process.env);
  const command = process.argv.slice(2);
  // The runtime takes the socket as the word that all is ready, so it comes last.
  await openProxyPort(proxy).catch((error) => {
    throw new Error(`port ${proxy.port} for the egress proxy can't be opened: ${error.message}`);
  });
  const { used } = await openAppPort(socket, app);
  if (command.length > 0) {
    // The runtime connects once it has moved the socket away: from then on nothing that the app does to files makes it
    // dial something else.
    await used;
    runApp(command);
  }
  // The first process of a container is not ended by a signal that it does not handle.
  else for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
