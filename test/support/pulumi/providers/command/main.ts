import { serveProvider } from '../provider.ts';
import { command } from './command.ts';

// The provider `command`: programs of this machine.

await serveProvider('command', '1.2.1', { 'command:local:Command': command });
