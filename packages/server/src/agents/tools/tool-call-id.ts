/** The id that a model has given the call. What acts on the world is known by it after a restart. */
export function toolCallIdOf(config: { toolCall?: { id?: string }; toolCallId?: string }): string {
  const id = config.toolCallId ?? config.toolCall?.id;
  if (!id) throw new Error('The tool call has no id, so it could not be recognised after a restart.');
  return id;
}
