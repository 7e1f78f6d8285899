/**
 * What the bundle leaves to node_modules; packages/cli/package.json depends on exactly these (checked). A package stands
 * here for one of two reasons: it carries native code, or a user's own agent must share the one copy of it.
 */
export const externals = [
  '@langchain/core',
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint',
  '@langchain/openai',
  '@photostructure/sqlite',
  'bcrypt',
  'langchain',
  'sharp',
  'tsx',
  'zod',
];
