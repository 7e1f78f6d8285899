/** Returns what a parameter sets, which stays the same when it gets another name or the workflow another version. */
export function parameterKey({
  placeholder,
  sets: [first],
}: {
  placeholder: string | null;
  sets: readonly { node: string; input: string }[];
}): string {
  return JSON.stringify(placeholder === null ? [first?.node, first?.input] : [placeholder]);
}
