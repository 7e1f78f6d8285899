/** The part of a LangChain message that the script reads. Only the answer of a tool has the name and the status of the tool. */
export interface Turn {
  type: string;
  text: string;
  name?: string | undefined;
  status?: string;
}

export interface ScriptedReply {
  text: string;
  calls: { name: string; args: Record<string, unknown> }[];
}

export function say(text: string): ScriptedReply {
  return { text, calls: [] };
}

/** Returns the value of a text that is JSON, and any other text as it is. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // plain words are a value as well
  }
}
