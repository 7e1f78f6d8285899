/** A part of a conversation as the script sees it. It is plain data, so the script can be tested without a model. */
export interface Turn {
  from: 'user' | 'assistant' | 'tool' | 'other';
  text: string;
  /** Set for the answer of a tool. */
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
