/** `[node id, output]`, the form in which the inputs of a node name the output of another node. */
export type Link = [nodeId: string, output: number];

export type DemoWorkflow = Record<
  string,
  { class_type: string; inputs: Record<string, unknown>; _meta: { title: string } }
>;

/** Builds a graph in ComfyUI's API format, node by node. */
export class WorkflowBuilder {
  readonly workflow: DemoWorkflow = {};

  /** Returns the first output of the new node. */
  add(title: string, classType: string, inputs: Record<string, unknown>): Link {
    const id = String(Object.keys(this.workflow).length + 1);
    this.workflow[id] = { class_type: classType, inputs, _meta: { title } };
    return [id, 0];
  }

  load(path: string): Link {
    return this.add(`Load ${nameOf(path)}`, 'LoadImage', { image: path });
  }

  save(images: Link, prefix: string): Link {
    return this.add('Save', 'SaveImage', { images, filename_prefix: prefix });
  }
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function stemOf(path: string): string {
  return nameOf(path).replace(/\.[^.]*$/, '');
}
