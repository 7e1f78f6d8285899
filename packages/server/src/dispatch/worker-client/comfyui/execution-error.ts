import { say } from '@switchyard/contract/sentences/sentences';
import type { ExecutionError } from '../worker-client.ts';
import { executionError } from './wire.ts';

const maxMessageLength = 1_000;
/** The types of torch, Python and numpy: `torch.cuda.OutOfMemoryError`, `MemoryError`, `numpy._core._exceptions._ArrayMemoryError`. */
const memoryType = /(^|\.)_?([A-Z]\w*)?MemoryError$/;
/** The beginning of messages of torch, whatever the type. */
const memoryHead =
  /^([A-Z]+ (backend )?out of memory|CUDA error: out of memory|Allocation on device|(\[enforce fail at [^\]]+\].{0,40}? )?DefaultCPUAllocator: (can't allocate|not enough) memory)/;
const deviceType = /(^|\.)AcceleratorError$/;
const deviceHead = /^(CUDA|cuDNN|CUBLAS|HIP|MPS backend)\b/i;
/** ENOSPC, EROFS and EIO at the head of the message, as Python writes them. Further on, a text is a user's. */
const hostTrouble = /^\[Errno (28|30|5)\]/;
/** The same for EACCES, for which Python has a type of its own. */
const accessTrouble = /^\[Errno 13\]/;

/**
 * Returns the content of an `execution_error` without its traceback and its inputs, which may contain other people's
 * prompts and keys.
 */
export function readExecutionError(data: unknown): ExecutionError {
  if (!executionError.Check(data)) {
    return {
      kind: 'node',
      message: say('error_unnamed'),
      nodeId: null,
      nodeClass: null,
    };
  }
  const type = data.exception_type ?? '';
  const text = data.exception_message ?? '';
  const firstLine = text.split('\n', 1)[0]?.trim() ?? '';
  const what = firstLine || type || 'unknown error';
  return {
    kind: isHostTrouble(type, text) ? 'host' : kindOf(type, text),
    message: (data.node_type ? `${data.node_type}: ${what}` : what).slice(0, maxMessageLength),
    nodeId: data.node_id ?? null,
    nodeClass: data.node_type ?? null,
  };
}

function isHostTrouble(type: string, text: string): boolean {
  if (type === 'OSError') return hostTrouble.test(text) || accessTrouble.test(text);
  return type === 'PermissionError' && accessTrouble.test(text);
}

/** A text may hold words of the user anywhere but at its head. */
function kindOf(type: string, text: string): ExecutionError['kind'] {
  if (memoryType.test(type) || memoryHead.test(text)) return 'out_of_memory';
  return deviceType.test(type) || deviceHead.test(text) ? 'device' : 'node';
}
