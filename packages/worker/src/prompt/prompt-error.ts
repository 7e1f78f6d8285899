/** The 400 of POST /prompt: ComfyUI's `error`, and the faults of each node. */
export interface PromptFault {
  type: string;
  message: string;
  details: string;
  extra_info: Record<string, unknown>;
}

export interface NodeErrors {
  errors: PromptFault[];
  dependent_outputs: string[];
  class_type: string;
}

export class PromptError extends Error {
  readonly fault: PromptFault;
  readonly nodeErrors: Record<string, NodeErrors>;
  readonly status: number;

  constructor(
    fault: Omit<PromptFault, 'extra_info'> & Partial<PromptFault>,
    { nodeErrors = {}, status = 400 }: { nodeErrors?: Record<string, NodeErrors>; status?: number } = {},
  ) {
    super(fault.message);
    this.fault = { ...fault, extra_info: fault.extra_info ?? {} };
    this.nodeErrors = nodeErrors;
    this.status = status;
  }
}
