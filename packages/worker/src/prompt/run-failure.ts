import { getSystemErrorMap } from 'node:util';
import { type GraphNode, isLink } from './graph.ts';
import { PythonError, repr } from './python.ts';

const maxInputCharacters = 1000;

/** The part of `execution_error` about what went wrong. It names no file of this machine. */
export function describeFailure(error: unknown, node: GraphNode): Record<string, unknown> {
  return {
    ...(hostFault(error) ?? {
      exception_type: typeOf(error),
      exception_message: error instanceof Error ? error.message : String(error),
    }),
    traceback: [`  in ${node.class_type}, a node of the reference worker\n`],
    current_inputs: Object.fromEntries(
      Object.entries(node.inputs).map(([name, value]) => [
        name,
        [isLink(value) ? '(linked)' : shorten(value)],
      ]),
    ),
  };
}

const typeOfHostFault: Readonly<Record<string, string>> = {
  ENOSPC: 'OSError',
  EROFS: 'OSError',
  EIO: 'OSError',
  EACCES: 'PermissionError',
};

/** Describes what this machine refused, such as a write to a full disk, in Python's words and without the file. */
function hostFault(error: unknown): { exception_type: string; exception_message: string } | null {
  const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
  const [code = '', text = ''] = getSystemErrorMap().get(errno) ?? [];
  const type = typeOfHostFault[code];
  return type === undefined ? null : { exception_type: type, exception_message: `[Errno ${-errno}] ${text}` };
}

function typeOf(error: unknown): string {
  if (error instanceof PythonError) return error.type;
  return error instanceof Error ? error.name : 'Error';
}

function shorten(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  return (typeof value === 'string' ? value : repr(value)).slice(0, maxInputCharacters);
}
