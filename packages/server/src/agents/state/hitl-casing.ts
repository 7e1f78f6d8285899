import { isRecord } from '@switchyard/contract/is-record';
/**
 * LangChain for JavaScript writes a request for a human's decision in camel case. Chat clients read it in snake case and answer
 * in snake case. So outgoing requests and incoming answers carry both.
 */

/** Adds the names that clients read to a request; returns any other record unchanged. */
export function hitlForClients(record: object): object {
  if (!('actionRequests' in record && 'reviewConfigs' in record)) return record;
  const { actionRequests, reviewConfigs } = record;
  if (!Array.isArray(actionRequests) || !Array.isArray(reviewConfigs)) return record;
  const configs = reviewConfigs.map((config) => withBoth(config, clientNames));
  return { ...record, reviewConfigs: configs, action_requests: actionRequests, review_configs: configs };
}

/** Adds the names that middleware reads to the decisions in an answer, including answers that are a map by interrupt id. */
export function hitlForGraph(resume: unknown): unknown {
  if (!isRecord(resume)) return resume;
  if (Array.isArray(resume.decisions)) {
    return { ...resume, decisions: resume.decisions.map((decision) => withBoth(decision, graphNames)) };
  }
  const answers = Object.entries(resume);
  if (!answers.some(([, answer]) => isRecord(answer) && Array.isArray(answer.decisions))) return resume;
  return Object.fromEntries(answers.map(([id, answer]) => [id, hitlForGraph(answer)]));
}

const clientNames = {
  actionName: 'action_name',
  allowedDecisions: 'allowed_decisions',
  argsSchema: 'args_schema',
};
const graphNames = { edited_action: 'editedAction' };

function withBoth(value: unknown, names: Record<string, string>): unknown {
  if (!isRecord(value)) return value;
  const added = Object.entries(names).filter(([name, other]) => name in value && !(other in value));
  return { ...value, ...Object.fromEntries(added.map(([name, other]) => [other, value[name]])) };
}
