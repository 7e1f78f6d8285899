import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { type PoolTools, runPoolTask } from './pool-task.ts';
import { withFiles } from './workflow-inputs.ts';
import type { CallOrigin, OrderedParams, SavedWorkflow } from './workflow-runner.ts';
import { toolNamesOf } from './workflow-tool-name.ts';

export const listWorkflowsName = 'list_workflows';

/** Lists the user's workflows with the names of their tools. */
export function listWorkflowsTool(saved: readonly SavedWorkflow[]) {
  const names = toolNamesOf(saved);
  return tool(
    async (_input: object) =>
      JSON.stringify({
        workflows: saved.map(({ name, description, schema }, index) => ({
          name,
          tool: names[index],
          ...(description !== '' && { description }),
          params: Object.keys((schema.properties ?? {}) as object),
        })),
      }),
    {
      name: listWorkflowsName,
      description: 'Lists the saved workflows of the user, each with its tool and what that takes.',
      schema: z.object({}),
    },
  );
}

/** Makes one tool for each saved workflow, typed by its parameters. */
export function savedWorkflowTools(pool: PoolTools, saved: readonly SavedWorkflow[]) {
  const names = toolNamesOf(saved);
  return saved.map((workflow, index) => savedWorkflowTool(pool, workflow, names[index] ?? ''));
}

function savedWorkflowTool(
  pool: PoolTools,
  { id: workflowId, name, description, schema }: SavedWorkflow,
  toolName: string,
) {
  const fileNames = new Set(Object.keys(propertiesOf(schema)).filter((key) => takesFile(schema, key)));
  return tool(
    async (given: unknown, config) => {
      const params = given as Params;
      const call = {
        toolName,
        args: params,
        params,
        withFiles: async (files: Parameters<typeof withFiles>[1]) => {
          const named = Object.entries(params).filter(([key]) => fileNames.has(key));
          return { ...params, ...(await withFiles(Object.fromEntries(named), files)) };
        },
        orderOf: (origin: CallOrigin & OrderedParams) => ({ ...origin, workflowId }),
      };
      return runPoolTask(pool, call, config);
    },
    {
      name: toolName,
      description:
        `Runs the user's workflow "${name}" on the pool of workers and waits for it. ${description}`.trim(),
      schema: tellingPaths(schema, fileNames),
      // Without it the model gets to know that something does not fit, but not what.
      verboseParsingErrors: true,
    },
  );
}

type Params = Record<string, unknown>;
type Property = { anyOf?: { properties?: object }[]; description?: string };

function propertiesOf({ properties = {} }: Params): Record<string, Property> {
  return properties as Record<string, Property>;
}

/** Returns false for text params: a text stays a text, whatever it looks like. */
function takesFile(schema: Params, key: string): boolean {
  return (propertiesOf(schema)[key]?.anyOf ?? []).some(({ properties = {} }) => '$file' in properties);
}

/** Describes paths instead of ids of files, because the model knows only paths. */
function tellingPaths(schema: Params, fileNames: ReadonlySet<string>): Params {
  if (fileNames.size === 0) return schema;
  const properties = Object.entries(propertiesOf(schema)).map(([key, property]) => {
    if (!fileNames.has(key)) return [key, property];
    const words = [property.description, pathsAllowed].filter(Boolean).join('. ');
    return [key, { ...property, description: words }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

const pathsAllowed = 'Best the path of a file of this conversation, such as /mnt/user-data/uploads/cat.png';
