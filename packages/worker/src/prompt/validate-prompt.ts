import type { NodeRegistry } from '../nodes/registry.ts';
import { isRecord, nodeOf, type PromptGraph } from './graph.ts';
import { type NodeErrors, PromptError, type PromptFault } from './prompt-error.ts';
import { GraphValidation, type NodeVerdict } from './validate-inputs.ts';

export interface ValidPrompt {
  graph: PromptGraph;
  /** The valid output nodes, which will run. */
  outputs: string[];
  /** Invalid output nodes are left out without an error status: a 200 can contain errors. */
  nodeErrors: Record<string, NodeErrors>;
}

/** Checks a graph as ComfyUI does: classes, then outputs, then each output with all nodes upstream. */
export async function validatePrompt(
  graph: Record<string, unknown>,
  { registry, onlyOutputs }: { registry: NodeRegistry; onlyOutputs: readonly string[] | undefined },
): Promise<ValidPrompt> {
  checkClasses(graph, registry);
  const outputs = Object.keys(graph)
    .filter((id) => registry.get(nodeOf(graph, id).class_type)?.isOutput === true)
    .filter((id) => onlyOutputs === undefined || onlyOutputs.includes(id));
  if (outputs.length === 0)
    throw new PromptError({ type: 'prompt_no_outputs', message: 'Prompt has no outputs', details: '' });

  const validation = new GraphValidation(graph, registry);
  const errors = new Map<string, NodeErrors>();
  const sound: string[] = [];
  const reasons: PromptFault[] = [];
  for (const id of outputs) {
    const verdict = await validation.checkOutput(id);
    if (verdict.isValid) {
      sound.push(id);
    } else {
      reasons.push(...verdict.errors);
      collect(errors, { graph, verdicts: validation.verdicts, output: id });
    }
  }
  const nodeErrors = Object.fromEntries(errors);
  if (sound.length > 0) return { graph, outputs: sound, nodeErrors };
  throw new PromptError(
    {
      type: 'prompt_outputs_failed_validation',
      message: 'Prompt outputs failed validation',
      details: reasons.map((reason) => `${reason.message}: ${reason.details}`).join('\n'),
    },
    { nodeErrors },
  );
}

function checkClasses(graph: Record<string, unknown>, registry: NodeRegistry): asserts graph is PromptGraph {
  for (const [id, node] of Object.entries(graph)) {
    const details = `Node ID '#${id}'`;
    if (!isRecord(node) || !Object.hasOwn(node, 'class_type'))
      throw new PromptError({
        type: 'invalid_prompt',
        message: 'Cannot execute because a node is missing the class_type property.',
        details,
      });
    const name = String(node.class_type);
    if (registry.get(name) === undefined)
      throw new PromptError({
        type: 'invalid_prompt',
        message: `Cannot execute because node ${name} does not exist.`,
        details,
        extra_info: {
          class_type: name,
          hint: `${name} needs a real ComfyUI worker; this is the CPU reference worker.`,
        },
      });
  }
}

/** Nodes that are invalid only because of a node upstream have no errors of their own and are left out. */
function collect(
  errors: Map<string, NodeErrors>,
  {
    graph,
    verdicts,
    output,
  }: { graph: PromptGraph; verdicts: ReadonlyMap<string, NodeVerdict>; output: string },
): void {
  for (const [id, verdict] of verdicts) {
    if (verdict.isValid || verdict.errors.length === 0) continue;
    const entry = errors.get(id) ?? {
      errors: verdict.errors,
      dependent_outputs: [],
      class_type: nodeOf(graph, id).class_type,
    };
    entry.dependent_outputs.push(output);
    errors.set(id, entry);
  }
}
