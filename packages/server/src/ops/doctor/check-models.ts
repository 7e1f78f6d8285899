import type { UsableLanggraphJson } from '../../agents/loading/usable-langgraph-json.ts';
import type { Environment } from '../../config/env.ts';
import type { Config } from '../../config/schema.ts';
import { type Finding, well, wrong } from './finding.ts';

/** The variables from which the packages of these providers take a key. Other packages have their own. */
const variableOf: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

/** Looks whether each model has a key. No model is called, because that would cost money. */
export function checkModels(
  { models }: Pick<Config, 'models'>,
  { env, langgraphFault }: { env: Environment; langgraphFault: UsableLanggraphJson['fault'] },
): Finding[] {
  const found = [
    ...models.flatMap((model) => keyFindings(model, env)),
    ...(langgraphFault === null
      ? []
      : [
          wrong(
            'models',
            `langgraph.json cannot be used, and the agents in it are not served. ${langgraphFault.message}`,
            'switchyard agents list   # once it is corrected',
          ),
        ]),
  ];
  if (found.length > 0) return found;
  if (models.length === 0) return [well('models', 'No model is configured, so the demo model answers.')];
  return [well('models', `Every model has its key (${models.map(({ name }) => name).join(', ')}).`)];
}

function keyFindings(
  { name, provider, api_key, base_url, options }: Config['models'][number],
  env: Environment,
) {
  const variable = variableOf[provider];
  // An address of one's own may need no key.
  const needsKey = variable !== undefined && base_url === null && options.apiKey === undefined;
  if (!needsKey || api_key !== null || env[variable]) return [];
  const says = `The model ${name} has no key: neither api_key nor the variable ${variable} is set.`;
  return [
    wrong(
      'models',
      says,
      `export ${variable}=…   # before switchyard up, or api_key in the configuration file`,
    ),
  ];
}
