import { wordingOf } from '../../../lib/app-error.ts';
import type { NodeFault, SubmitOutcome } from '../worker-client.ts';
import { callFailure, failureOfStatus } from './call-failure.ts';
import { nodeErrors, promptAccepted, promptRefused, readJson } from './wire.ts';
import type { CallAnswer } from './worker-http.ts';

const maxFaults = 50;
const maxMessageLength = 500;

/** The outcome, or `other_id` when the worker gave the prompt another id: it is too old to be used safely. */
export type ReadSubmitAnswer = SubmitOutcome | { outcome: 'other_id'; promptId: string };

/** Returns what the answer to a submission means. Only a clear "no" counts as not taken. */
export function readSubmitAnswer(
  answer: CallAnswer,
  { promptId, label }: { promptId: string; label: string },
): ReadSubmitAnswer {
  if (answer.status === 200) return readAccepted(answer, { promptId, label });
  if (answer.status === 400) return readRefused(answer, label);
  const failure =
    failureOfStatus(answer.status, label) ?? callFailure('bad_answer', label, { status: answer.status });
  const { workerCause: cause, sentences: message } = failure;
  return { outcome: answer.status >= 500 ? 'unknown' : 'not_taken', cause, message };
}

function readAccepted(
  answer: CallAnswer,
  { promptId, label }: { promptId: string; label: string },
): ReadSubmitAnswer {
  try {
    const accepted = readJson(answer.body, promptAccepted, label);
    if (accepted.prompt_id !== promptId) return { outcome: 'other_id', promptId: accepted.prompt_id };
    return { outcome: 'accepted', number: accepted.number, skipped: readNodeErrors(accepted.node_errors) };
  } catch (error) {
    // The status was 200 but the body is unreadable: the prompt may well run.
    return {
      outcome: 'unknown',
      cause: 'bad_answer',
      message: wordingOf(error),
    };
  }
}

function readRefused(answer: CallAnswer, label: string): SubmitOutcome {
  let refusal: ReturnType<typeof readRefusal>;
  try {
    refusal = readRefusal(answer.body, label);
  } catch {
    const { sentences: message } = callFailure('bad_answer', label, { status: 400 });
    return { outcome: 'not_taken', cause: 'bad_answer', message };
  }
  const { general, faults } = refusal;
  const error = faults[0] ?? general;
  return { ...kindOf(general, faults), error, faults: faults.length > 0 ? faults : [general] };
}

function readRefusal(body: Buffer, label: string): { general: NodeFault; faults: NodeFault[] } {
  const { error, node_errors: errors } = readJson(body, promptRefused, label);
  const { type, message, details } =
    typeof error === 'string' ? { type: 'invalid_prompt', message: error, details: null } : error;
  const general: NodeFault = {
    nodeId: /Node ID '#?([^']+)'/.exec(details ?? '')?.[1] ?? null,
    nodeClass: null,
    type,
    message: sentence(message ?? type, details),
  };
  return { general, faults: readNodeErrors(errors) };
}

function readNodeErrors(errors: unknown): NodeFault[] {
  if (!nodeErrors.Check(errors)) return [];
  const faults = Object.entries(errors).flatMap(([nodeId, node]) =>
    node.errors.slice(0, maxFaults).map(({ type, message, details }) => ({
      nodeId,
      nodeClass: node.class_type ?? null,
      type,
      message: `Node ${nodeId}${node.class_type ? ` (${node.class_type})` : ''}: ${sentence(message ?? type, details)}`,
    })),
  );
  return faults.slice(0, maxFaults);
}

/**
 * A missing class or model is missing on this worker; a missing input file is the gateway's fault; the rest is the
 * graph's fault.
 */
function kindOf(
  general: NodeFault,
  faults: NodeFault[],
):
  | { outcome: 'invalid' | 'input_missing' }
  | Pick<Extract<SubmitOutcome, { outcome: 'incapable' }>, 'outcome' | 'lacks'> {
  const isClassMissing =
    general.type === 'missing_node_type' ||
    (general.type === 'invalid_prompt' && /not found|does not exist/i.test(general.message));
  if (isClassMissing) return { outcome: 'incapable', lacks: 'node_class' };
  const isEvery = (test: (fault: NodeFault) => boolean) => faults.length > 0 && faults.every(test);
  if (isEvery(isMissingFile)) return { outcome: 'input_missing' };
  const isValueMissing = isEvery(({ type }) => type === 'value_not_in_list');
  return isValueMissing ? { outcome: 'incapable', lacks: 'value' } : { outcome: 'invalid' };
}

function isMissingFile({ type, message }: NodeFault): boolean {
  return type === 'custom_validation_failed' && /invalid \w+ file/i.test(message);
}

function sentence(message: string, details: string | null | undefined): string {
  const text = details ? `${message}: ${details}` : message;
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength - 1)}…` : text;
}
