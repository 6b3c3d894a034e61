import type { ProblemView } from './overview.ts';
import type { Unsaved } from './recent-activity.ts';
import type { Standing } from './standing.ts';

/** From here on an operator should think of more room. */
const NEARLY_FULL = 0.9;
/** Of one kind, so that none crowds the others out. */
const MOST_OF_A_KIND = 50;

interface Seen {
  standing: Standing;
  maxContainers: number;
  unsaved: readonly Unsaved[];
}

/** What is wrong for whoever looks, the worst first. Problems without a tenant are the operator's. */
export function findProblems(seen: Seen, isTheirs: (of: ProblemView) => boolean): ProblemView[] {
  const kinds = [
    dependencies(seen.standing),
    breaker(seen.standing),
    unsaved(seen.unsaved),
    workspaces(seen.standing),
    functions(seen.standing),
    room(seen.standing, seen.maxContainers),
  ];
  const found = kinds.flatMap((kind) => kind.filter(isTheirs).slice(0, MOST_OF_A_KIND));
  const critical = found.filter(({ severity }) => severity === 'critical');
  return [...critical, ...found.filter(({ severity }) => severity === 'warning')];
}

function dependencies({ dependencies: known = [] }: Standing): ProblemView[] {
  return known
    .filter(({ ready }) => !ready)
    .map(({ name, vital, detail }) => ({
      severity: vital ? 'critical' : 'warning',
      text: `${name} is down${vital ? '' : ' (live conversations go on)'}: ${detail}`,
      tenant: null,
      target: null,
    }));
}

function breaker({ breaker: { open, held } }: Standing): ProblemView[] {
  if (!open) return [];
  const what = held === 1 ? '1 container without an owner' : `${held} containers without an owner`;
  return [
    {
      severity: 'critical',
      text: `The sweep's breaker holds ${what}: look at them, then release it`,
      tenant: null,
      target: { kind: 'containers' },
    },
  ];
}

function unsaved(lost: readonly Unsaved[]): ProblemView[] {
  return lost.map(({ tenant, conversation }) => ({
    severity: 'critical',
    text: `The container of conversation ${conversation} ended without its last changes being saved`,
    tenant,
    target: { kind: 'conversation', id: conversation },
  }));
}

function workspaces({ workspaces: census }: Standing): ProblemView[] {
  return (census?.inError ?? []).map(({ tenant, id, code, message }) => ({
    severity: 'warning',
    text: `Workspace ${id} is in ERROR: ${code}, ${message}`,
    tenant,
    target: { kind: 'workspace', id },
  }));
}

function functions({ functions: known = [] }: Standing): ProblemView[] {
  return known
    .filter(({ breaker_open }) => breaker_open)
    .map(({ tenant, name }) => ({
      severity: 'warning',
      text: `Function ${name} fails: its breaker is open, and calls are refused for a while`,
      tenant,
      target: { kind: 'function', id: name },
    }));
}

function room({ containersUsed: used }: Standing, limit: number): ProblemView[] {
  if (used === undefined || used < limit * NEARLY_FULL) return [];
  return [
    {
      severity: 'warning',
      text: `${used} of ${limit} containers are in use (MAX_CONTAINERS): new conversations may be refused`,
      tenant: null,
      target: { kind: 'containers' },
    },
  ];
}
