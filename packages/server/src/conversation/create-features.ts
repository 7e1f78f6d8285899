import type { Equipment } from '../agents/lead/built-in-agents.ts';
import { modelAsker } from '../agents/models/ask-model.ts';
import { modelNames } from '../agents/models/model-names.ts';
import { WorkingAgents } from '../agents/working-agent.ts';
import type { ModelConfig } from '../config/models.ts';
import type { Routes } from '../http/app.ts';
import type { Fetch } from '../lib/bounded-fetch.ts';
import { ChangeLock } from '../platform/ownership/change-lock.ts';
import type { ConversationParts } from './conversation-parts.ts';
import { CustomAgentFiles } from './custom-agents/custom-agent-files.ts';
import { customAgentRoutes } from './custom-agents/custom-agent-routes.ts';
import { CustomAgents } from './custom-agents/custom-agents.ts';
import { FileChanges } from './file-changes/file-changes.ts';
import { createMcp } from './mcp/create-mcp.ts';
import type { McpNetwork } from './mcp/mcp-network.ts';
import type { McpServers } from './mcp/mcp-servers.ts';
import { createMemory, type MemoryConfiguration } from './memory/create-memory.ts';
import type { Memories } from './memory/memories.ts';
import type { MemoryLearning } from './memory/memory-learning.ts';
import { memoryRoutes } from './memory/memory-routes.ts';
import { Profiles } from './profile/profiles.ts';
import { createSkills, type SkillsOptions } from './skills/create-skills.ts';
import { InputPolish } from './suggestions/input-polish.ts';
import { suggestionRoutes } from './suggestions/suggestion-routes.ts';
import { Suggestions } from './suggestions/suggestions.ts';
import type { ThreadAccess } from './threads/thread-access.ts';
import type { ThreadStore } from './threads/thread-store.ts';
import { agentWorkspace } from './workspace/agent-workspace.ts';
import { createWorkspace, type WorkspaceRoom } from './workspace/create-workspace.ts';
import type { UploadLimits } from './workspace/receive-uploads.ts';

export interface FeaturesConfiguration {
  /** The data home. */
  home: string;
  /** The folder in which relative paths of models begin. */
  cwd: string;
  models: readonly ModelConfig[];
  /** Calls the providers of models. */
  fetch: Fetch;
  uploads: UploadLimits;
  mcp: { allowedCommands: readonly string[] };
  skills: SkillsOptions;
  memory: MemoryConfiguration;
  /** Enabled when users manage agents and profiles over HTTP. */
  agentsApi: { enabled: boolean };
  /** Disk space that is left free. */
  diskReserveBytes: number;
}

/** The features that agents and pages use besides threads and runs. */
export interface Features extends Pick<WorkspaceRoom, 'uploads' | 'artifacts' | 'copyFolders'> {
  memories: Memories;
  learning: MemoryLearning;
  customAgents: CustomAgents;
  fileChanges: FileChanges;
  mcpServers: McpServers;
  /** The tools and settings with which the lead agent works. */
  equipment: Equipment;
  routes: Routes[];
  close(): Promise<void>;
}

/** Creates everything that agents and pages use besides threads and runs. */
export function createFeatures({
  workflows,
  mcpNetwork: network,
  isUser,
  options,
  ...given
}: Pick<
  ConversationParts,
  'database' | 'ownership' | 'jobs' | 'removals' | 'audit' | 'version' | 'measureCall' | 'clock' | 'log'
> & {
  access: ThreadAccess;
  threadStore: Pick<ThreadStore, 'create'>;
  /** Null when this gateway has no pool. */
  workflows: Equipment['workflows'];
  mcpNetwork: McpNetwork;
  /** Returns false once the account is deleted. */
  isUser: (userId: string) => Promise<boolean>;
  options: FeaturesConfiguration;
}): Features {
  const { access, measureCall, log } = given;
  const { home, diskReserveBytes, agentsApi } = options;
  // Only one process uses an SQLite database.
  const changes = new ChangeLock(given.database.dialect === 'postgres' ? given.ownership : null);
  const parts = { ...given, home, diskReserveBytes, changes };
  const models = { configured: options.models, cwd: options.cwd, fetch: options.fetch, measureCall };

  const workspace = createWorkspace({ ...parts, limits: options.uploads });
  const { files, folders } = workspace;
  const fileChanges = new FileChanges(files);
  const mcp = createMcp({ ...parts, network, allowedCommands: options.mcp.allowedCommands });
  const skills = createSkills({ ...parts, ...mcp, files, options: options.skills });
  const customAgentFiles = new CustomAgentFiles(home);
  const { memories, learning } = createMemory({
    ...parts,
    isThere: async ({ userId, agent }) =>
      (await isUser(userId)) && (agent === null || (await customAgentFiles.exists({ userId, name: agent }))),
    models,
    options: options.memory,
  });
  const customAgents = new CustomAgents({
    files: customAgentFiles,
    changes,
    modelNames: modelNames(options.models),
    withMemory: (owner, name, remove) => memories.remove(owner, name, remove),
    log,
  });
  const profiles = new Profiles(home);
  const ask = options.models.length === 0 ? null : modelAsker(models);
  const suggestions = new Suggestions({ ask, hasPool: workflows !== null, log });

  return {
    ...workspace,
    memories,
    learning,
    customAgents,
    fileChanges,
    mcpServers: mcp.servers,
    equipment: {
      workflows,
      workspace: agentWorkspace({ files, folders, access, follower: fileChanges }),
      mounts: [skills.mount],
      skillsFor: (only) => skills.promptFor(only),
      extraTools: () => mcp.servers.tools(),
      memoryOf: (userId, agentName) => memories.promptFor({ user: userId }, agentName),
      userAgents: {
        working: new WorkingAgents((userId, name) => customAgents.find({ user: userId }, name)),
        profileOf: (userId) => profiles.read({ user: userId }),
        ...(agentsApi.enabled && { setUp: (agent, requested) => customAgents.setUp(agent, requested) }),
      },
    },
    routes: [
      ...workspace.routes,
      mcp.routes,
      skills.routes,
      memoryRoutes({ memories, requireAgent: (owner, name) => customAgents.get(owner, name) }),
      customAgentRoutes({ agents: customAgents, profiles, isEnabled: agentsApi.enabled }),
      suggestionRoutes({ access, suggestions, inputPolish: new InputPolish({ ask, log }) }),
    ],
    close: async () => {
      learning.close();
      await mcp.servers.close();
    },
  };
}
