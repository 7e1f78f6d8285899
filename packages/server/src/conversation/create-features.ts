import type { Equipment } from '../agents/lead/built-in-agents.ts';
import { modelAsker } from '../agents/models/ask-model.ts';
import { modelNames } from '../agents/models/model-names.ts';
import { WorkingAgents } from '../agents/working-agent.ts';
import type { ModelConfig } from '../config/models.ts';
import type { Routes } from '../http/app.ts';
import { steadyClock, toIso } from '../lib/clock.ts';
import { nodeDisk } from '../platform/files/disk.ts';
import { ChangeLock } from '../platform/ownership/change-lock.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { ConversationParts } from './conversation-parts.ts';
import { CustomAgentFiles } from './custom-agents/custom-agent-files.ts';
import { customAgentRoutes } from './custom-agents/custom-agent-routes.ts';
import { CustomAgents } from './custom-agents/custom-agents.ts';
import { FileChanges } from './file-changes/file-changes.ts';
import { ExtensionsFile } from './mcp/extensions-file.ts';
import type { McpNetwork } from './mcp/mcp-network.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { McpServers } from './mcp/mcp-servers.ts';
import { createMemory, type MemoryConfiguration } from './memory/create-memory.ts';
import { forgetTurnsOfThread, forgetTurnsOfUser } from './memory/learning-store.ts';
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
import { artifactRoutes } from './workspace/artifact-routes.ts';
import { Artifacts } from './workspace/artifacts.ts';
import { type CopyOfFolders, copyOfFolders } from './workspace/copy-folders.ts';
import type { UploadLimits } from './workspace/receive-uploads.ts';
import { ThreadFolders } from './workspace/thread-folders.ts';
import { uploadRoutes } from './workspace/upload-routes.ts';
import { Uploads } from './workspace/uploads.ts';
import { WorkspaceFiles } from './workspace/workspace-files.ts';

export interface FeaturesConfiguration {
  /** The data home. */
  home: string;
  /** The folder in which relative paths of models begin. */
  cwd: string;
  models: readonly ModelConfig[];
  uploads: UploadLimits;
  mcp: { allowedCommands: readonly string[] };
  skills: SkillsOptions;
  memory: MemoryConfiguration;
  /** Whether users manage agents and profiles over HTTP. */
  agentsApi: { enabled: boolean };
  /** Disk space that is left free. */
  diskReserveBytes: number;
}

interface FeaturesDependencies
  extends Pick<
    ConversationParts,
    'database' | 'ownership' | 'jobs' | 'removals' | 'audit' | 'version' | 'clock'
  > {
  access: ThreadAccess;
  threadStore: Pick<ThreadStore, 'create'>;
  /** Null when this gateway has no pool. */
  workflows: Equipment['workflows'];
  mcpNetwork: McpNetwork;
  /** Returns false once the account is deleted. */
  isUser: (userId: string) => Promise<boolean>;
  log: Logger;
  options: FeaturesConfiguration;
}

/** The features that agents and pages use besides threads and runs. */
export interface Features {
  uploads: Uploads;
  artifacts: Artifacts;
  memories: Memories;
  learning: MemoryLearning;
  customAgents: CustomAgents;
  copyFolders: CopyOfFolders;
  fileChanges: FileChanges;
  /** What the lead agent works with. */
  equipment: Equipment;
  routes: Routes[];
  close(): Promise<void>;
}

/** Creates everything that agents and pages use besides threads and runs. */
export function createFeatures(dependencies: FeaturesDependencies): Features {
  const { database, ownership, access, removals, audit, workflows, clock, log, options } = dependencies;
  // Only one process uses an SQLite database.
  const changes = new ChangeLock(database.dialect === 'postgres' ? ownership : null);
  const models = { configured: options.models, cwd: options.cwd };
  const folders = new ThreadFolders({ ...options, reserveBytes: options.diskReserveBytes, disk: nodeDisk });
  const files = new WorkspaceFiles(folders, clock);
  const fileChanges = new FileChanges(files);
  const uploads = new Uploads({
    folders,
    files,
    access,
    makeThread: async (owner, threadId) => {
      await dependencies.threadStore.create(owner, { threadId, at: toIso(clock()) });
    },
    limits: options.uploads,
    clock,
  });
  const artifacts = new Artifacts({ folders, files, access });

  const extensions = new ExtensionsFile(options.home, changes);
  const servers = new McpServers({
    file: extensions,
    allowedCommands: options.mcp.allowedCommands,
    version: dependencies.version,
    network: dependencies.mcpNetwork,
    clock: steadyClock,
    log,
  });
  const skills = createSkills({
    ...dependencies,
    extensions,
    changes,
    files,
    diskReserveBytes: options.diskReserveBytes,
    options: options.skills,
  });

  const customAgentFiles = new CustomAgentFiles(options.home);
  const { memories, learning } = createMemory({
    ...dependencies,
    changes,
    isThere: async ({ userId, agent }) =>
      (await dependencies.isUser(userId)) &&
      (agent === null || (await customAgentFiles.exists({ userId, name: agent }))),
    models,
    home: options.home,
    options: options.memory,
  });
  removals.register({ forgetThread: forgetTurnsOfThread, forgetUser: forgetTurnsOfUser });
  const customAgents = new CustomAgents({
    files: customAgentFiles,
    changes,
    modelNames: modelNames(options.models),
    withMemory: (owner, name, remove) => memories.remove(owner, name, remove),
    log,
  });
  const profiles = new Profiles(options.home);
  const ask = options.models.length === 0 ? null : modelAsker(models);
  const suggestions = new Suggestions({ ask, hasPool: workflows !== null, log });

  return {
    uploads,
    artifacts,
    memories,
    learning,
    customAgents,
    copyFolders: copyOfFolders(folders, access),
    fileChanges,
    equipment: {
      workflows,
      workspace: agentWorkspace({ files, folders, access, follower: fileChanges }),
      mounts: [skills.mount],
      skillsFor: (only) => skills.promptFor(only),
      extraTools: () => servers.tools(),
      memoryOf: (userId, agentName) => memories.promptFor({ user: userId }, agentName),
      userAgents: {
        working: new WorkingAgents((userId, name) => customAgents.find({ user: userId }, name)),
        profileOf: (userId) => profiles.read({ user: userId }),
        ...(options.agentsApi.enabled && {
          setUp: (agent, requested) => customAgents.setUp(agent, requested),
        }),
      },
    },
    routes: [
      uploadRoutes({ uploads }),
      artifactRoutes({ artifacts }),
      mcpRoutes({ servers, audit }),
      skills.routes,
      memoryRoutes({ memories, requireAgent: (owner, name) => customAgents.get(owner, name) }),
      customAgentRoutes({ agents: customAgents, profiles, isEnabled: options.agentsApi.enabled }),
      suggestionRoutes({ access, suggestions, inputPolish: new InputPolish({ ask, log }) }),
    ],
    close: async () => {
      learning.close();
      await servers.close();
    },
  };
}
