/** Returns whether the purpose of a run is to set up the agent that it names. `context` takes precedence over `configurable`. */
export function isSetUp({
  context,
  configurable,
}: {
  context?: unknown;
  configurable?: Record<string, unknown> | undefined;
}): boolean {
  const said = { ...configurable, ...(context as object | undefined) };
  return 'is_bootstrap' in said && said.is_bootstrap === true;
}
