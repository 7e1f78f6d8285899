import { at, mounts } from '@switchyard/contract/conversation/mounts';
import type { Endpoint } from '@switchyard/contract/endpoint';
import type { CustomCall } from '../../http/access/custom-calls.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Assistants } from '../catalog/assistants.ts';
import type { Runs } from '../runs/runs.ts';
import type { Crons } from '../schedules/crons.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { AuthRule, RuleOfEndpoint } from './asked-request.ts';
import { assistantRules } from './assistant-rules.ts';
import { cronRules } from './cron-rules.ts';
import type { CustomDecisions } from './decisions.ts';
import { runRules } from './run-rules.ts';
import { storeRules } from './store-rules.ts';
import { ThreadReach } from './thread-reach.ts';
import { threadRules } from './thread-rules.ts';

interface CustomAuthorizationOptions {
  decisions: Pick<CustomDecisions, 'ask'>;
  access: Pick<ThreadAccess, 'find'>;
  runs: Pick<Runs, 'look'>;
  assistants: Pick<Assistants, 'get' | 'isStored'>;
  crons: Pick<Crons, 'get'>;
}

const mount = mounts[1];

/** Asks the operator's `on` handlers before a route answers a caller whom the operator's own authentication has let in. */
export class CustomAuthorization {
  readonly #decisions: CustomAuthorizationOptions['decisions'];
  readonly #rules: ReadonlyMap<string, AuthRule>;

  constructor({ decisions, access, runs, assistants, crons }: CustomAuthorizationOptions) {
    this.#decisions = decisions;
    const reach = new ThreadReach({ access, runs, assistants });
    const all: RuleOfEndpoint[] = [
      ...threadRules(reach),
      ...runRules(reach),
      ...assistantRules(assistants),
      ...cronRules(reach, crons),
      ...storeRules,
    ];
    this.#rules = new Map(all.map(([endpoint, rule]) => [keyOf(at(mount, endpoint)), rule]));
  }

  /** A route without a rule is closed, so that a new one opens nothing that no handler was asked about. */
  async decide(call: CustomCall): Promise<void> {
    if (call.isRest) return;
    const rule = this.#rules.get(call.endpoint);
    if (!rule) throw new AppError('custom_auth_unserved');
    const { user, headers } = call;
    return rule({ call, ask: (event, value) => this.#decisions.ask({ event, value, user, headers }) });
  }
}

function keyOf({ method, url }: Pick<Endpoint, 'method' | 'url'>): string {
  return `${method} ${url}`;
}
