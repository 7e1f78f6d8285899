interface ConfigOfRun {
  configurable?: Record<string, unknown> | undefined;
}

/** Key in a run's `configurable`; the server alone sets it, since keys that begin `__` are taken from what clients send. */
export const agentNameKey = '__switchyard_agent';

/** The custom agent that a run works as; null for the lead agent itself. */
export function agentNameOf(config: ConfigOfRun): string | null {
  const name = config.configurable?.[agentNameKey];
  return typeof name === 'string' ? name : null;
}
