import type { Logger } from 'pino';
import { isInError } from '../../workspaces/workspace-view.ts';
import { asBerthError, problemOf, sendProblem } from '../problem.ts';
import { sendErrorPage, sendSignInPage } from './pages.ts';
import { isNavigation, rootOf, type Visit } from './visit.ts';

/** Answers with what went wrong: a page for people, a problem for programs. */
export function failVisit(visit: Visit, error: unknown, log: Logger): void {
  const { response, requestId, row } = visit;
  if (response.destroyed) return; // the client has gone: there is nobody to tell
  const problem = asBerthError(error);
  if (problem.code === 'INTERNAL') log.error({ err: error, request_id: requestId }, 'an unexpected error');
  if (response.headersSent) {
    response.destroy(); // bytes cut short must not look whole
    return;
  }
  if (problem.code === 'INVALID_REQUEST') response.shouldKeepAlive = false;
  response.setHeader('X-Request-Id', requestId);
  const retry = row !== undefined && isInError(row);
  if (!isNavigation(visit)) sendProblem(response, problem, requestId);
  else if (problem.code === 'UNAUTHENTICATED') sendSignInPage(response, problem.detail);
  else sendErrorPage(response, rootOf(visit), problemOf(problem, requestId), { retry });
}
