interface ConfigOfRun {
  configurable?: Record<string, unknown> | undefined;
}

/** Key in a run's `configurable`. Only the server sets it: keys that begin with `__` are removed from what clients send. */
export const agentNameKey = '__switchyard_agent';

/** Returns the custom agent that a run works as, or null for the lead agent itself. */
export function agentNameOf(config: ConfigOfRun): string | null {
  const name = config.configurable?.[agentNameKey];
  return typeof name === 'string' ? name : null;
}
