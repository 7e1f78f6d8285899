/** Returns the id that a model gave to the call. After a restart it identifies what the call did outside of the run. */
export function toolCallIdOf(config: { toolCall?: { id?: string }; toolCallId?: string }): string {
  const id = config.toolCallId ?? config.toolCall?.id;
  if (!id) throw new Error('The tool call has no id, so it could not be recognised after a restart.');
  return id;
}
