import type { ContainerId } from '../../contracts/ids.ts';
import { LABEL, type Role } from '../../contracts/labels.ts';
import type { ContainerView } from '../container-backend.ts';
import { ownRole } from '../ownership.ts';
import { networkOf, PORT_PART, portName } from './app-options.ts';
import { removeContainer } from './container-removal.ts';
import type { EngineClient } from './engine-client.ts';
import { isRefusal } from './engine-errors.ts';
import { type InspectReply, type ListReply, toView, toViews } from './engine-replies.ts';

/** An app's container and the one that holds its network, as they are found under its names. */
export interface AppPair {
  app: InspectReply | undefined;
  port: InspectReply | undefined;
}

export async function findPair(engine: EngineClient, id: ContainerId): Promise<AppPair> {
  const [app, port] = await Promise.all([engine.inspect(id), engine.inspect(portName(id))]);
  return { app, port };
}

type Labels = Readonly<Record<string, string>>;

export function isOwnApp(labels: Labels, installation: string, role?: Role): boolean {
  return isOwn(labels, installation, role) && labels[LABEL.part] === undefined;
}

export function isOwnPort(labels: Labels, installation: string, role?: Role): boolean {
  return isOwn(labels, installation, role) && labels[LABEL.part] === PORT_PART;
}

function isOwn(labels: Labels, installation: string, role: Role | undefined): boolean {
  const found = ownRole(labels, installation);
  return found !== undefined && (role === undefined || found === role);
}

/** Undefined: not an app of this installation. `reachable`: whether the runtime has a socket to dial. */
export function pairView(
  { app, port }: AppPair,
  installation: string,
  reachable: boolean,
): ContainerView | undefined {
  const view = app && toView(app, installation);
  if (app === undefined || view === undefined) return undefined;
  const itsPort = port !== undefined && app.HostConfig.NetworkMode === networkOf(port.Id) ? port : undefined;
  return { ...view, state: stateOf(view.state, itsPort?.State.Status, reachable) };
}

/** The apps among what the engine lists. */
export function pairViews(
  rows: ListReply,
  installation: string,
  reachable: ReadonlySet<ContainerId>,
): ContainerView[] {
  const networks = new Map(rows.map((row) => [networkOf(row.Id), row.State]));
  return rows.flatMap((row) =>
    toViews([row], installation).map((view) => ({
      ...view,
      state: stateOf(view.state, networks.get(row.HostConfig.NetworkMode), reachable.has(view.id)),
    })),
  );
}

/** An app without its port is at its end, whatever it does; one that nobody can dial yet is being made. */
function stateOf(
  app: ContainerView['state'],
  port: string | undefined,
  reachable: boolean,
): ContainerView['state'] {
  if (app === 'created' || app === 'exited') return app;
  if (port !== 'running') return 'exited';
  return reachable ? app : 'created';
}

/**
 * Ends an app and removes both. The app's container goes last: as long as anything is left of the two it is there to be
 * found, and to be removed by its engine's id.
 */
export async function removePair(
  engine: EngineClient,
  { app, port }: { app: string | undefined; port: string | undefined },
  stopSeconds: number,
): Promise<void> {
  if (app !== undefined) await end(engine, app, stopSeconds);
  if (port !== undefined) await removeContainer(engine, port, 0);
  if (app !== undefined) await removeContainer(engine, app, 0);
}

async function end(engine: EngineClient, app: string, stopSeconds: number): Promise<void> {
  try {
    if (stopSeconds > 0) await engine.stop(app, Math.ceil(stopSeconds));
    else await engine.kill(app);
  } catch (error) {
    if (!isRefusal(error, 304, 404, 409)) throw error; // it does not run any more
  }
}
