import type { TaskError, TaskErrorCode } from '@switchyard/contract/dispatch/task';

/** The things that a person can try, as keys of the texts. */
export type Advice =
  | 'memory'
  | 'missingNode'
  | 'missingModel'
  | 'missingFile'
  | 'models'
  | 'largeFile'
  | 'input'
  | 'device'
  | 'timeout'
  | 'stalled'
  | 'lost'
  | 'outputs'
  | 'again'
  | 'node';

/** The error of a task, or of a cell of a grid. */
export interface FailureError extends Pick<TaskError, 'message' | 'sentences'> {
  code: string;
}

export interface Failure {
  /** The cause in one sentence: the first line of the worker's message. */
  cause: string;
  /** The text after it, such as a traceback; empty when there is nothing more. */
  rest: string;
  advice: Advice;
}

const adviceOfCode: Readonly<Record<string, Advice | undefined>> = {
  out_of_memory: 'memory',
  device_error: 'device',
  invalid_workflow: 'input',
  rejected_by_worker: 'input',
  input_file_missing: 'missingFile',
  input_too_large: 'largeFile',
  timed_out: 'timeout',
  stalled: 'stalled',
  lost: 'lost',
  interrupted: 'again',
  outputs_lost: 'outputs',
  outputs_missing: 'outputs',
  internal_error: 'again',
} satisfies Partial<Record<TaskErrorCode, Advice>>;

/** Words in the message that say more than its code. The first that fits counts. */
const adviceOfWords: [RegExp, Advice][] = [
  [/out of memory|CUDA error: out|allocat\w+ .*memory/i, 'memory'],
  [/(node|class_type)\b.*\b(not (exist|found)|missing|unknown)|unknown node|lacks the node/i, 'missingNode'],
  [/(checkpoint|ckpt|lora|vae|model|safetensors)\b.*\b(not (in|found)|missing|no such)/i, 'missingModel'],
  [
    /no such file|file not found|FileNotFound|cannot (open|identify) image|invalid (image|audio|video) file/i,
    'missingFile',
  ],
  [/mat1 and mat2 shapes|shapes? cannot be multiplied|size mismatch for /i, 'models'],
  [/timed? ?out/i, 'timeout'],
];

/** `shown` is the message in the language of the page. What to try follows from the words of the worker. */
export function describeFailure({ code, message }: FailureError, shown = message): Failure {
  const [first = '', ...others] = shown.trim().split('\n');
  const words = adviceOfWords.find(([pattern]) => pattern.test(message));
  return {
    cause: first.trim() || code,
    rest: others.join('\n').trim(),
    advice: words?.[1] ?? adviceOfCode[code] ?? 'node',
  };
}
