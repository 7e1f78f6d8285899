const charactersPerToken = 4;

/** An estimate, as good as possible without the model's own tokeniser. */
export function estimatedTokens(messages: Iterable<{ text: string; calls: readonly unknown[] }>): number {
  let characters = 0;
  for (const { text, calls } of messages) {
    characters += text.length + (calls.length > 0 ? JSON.stringify(calls).length : 0);
  }
  return Math.ceil(characters / charactersPerToken);
}

/** Returns how long a text of so many tokens is. */
export function charactersIn(tokens: number): number {
  return tokens * charactersPerToken;
}
