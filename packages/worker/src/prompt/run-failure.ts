import { type GraphNode, isLink } from './graph.ts';
import { PythonError, repr } from './python.ts';

const maxInputCharacters = 1000;

/** The part of `execution_error` that says what went wrong. It names no file of this machine. */
export function describeFailure(error: unknown, node: GraphNode): Record<string, unknown> {
  return {
    exception_type: typeOf(error),
    exception_message: error instanceof Error ? error.message : String(error),
    traceback: [`  in ${node.class_type}, a node of the reference worker\n`],
    current_inputs: Object.fromEntries(
      Object.entries(node.inputs).map(([name, value]) => [
        name,
        [isLink(value) ? '(linked)' : shorten(value)],
      ]),
    ),
  };
}

function typeOf(error: unknown): string {
  if (error instanceof PythonError) return error.type;
  return error instanceof Error ? error.name : 'Error';
}

function shorten(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  return (typeof value === 'string' ? value : repr(value)).slice(0, maxInputCharacters);
}
