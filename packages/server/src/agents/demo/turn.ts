/** A conversation as the script sees it: plain, so that what it says can be tested without a model. */
export interface Turn {
  from: 'user' | 'assistant' | 'tool' | 'other';
  text: string;
  /** Of a tool's answer. */
  tool?: { name: string; failed: boolean };
}

export interface ScriptedCall {
  name: string;
  args: Record<string, unknown>;
}

export interface ScriptedReply {
  text: string;
  calls: ScriptedCall[];
}
