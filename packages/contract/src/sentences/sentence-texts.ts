import { accountTexts } from './texts/account-texts.ts';
import { addressTexts } from './texts/address-texts.ts';
import { attemptTexts } from './texts/attempt-texts.ts';
import { fieldTexts } from './texts/field-texts.ts';
import { instanceEventTexts } from './texts/instance-event-texts.ts';
import { instanceTexts } from './texts/instance-texts.ts';
import { mcpServerTexts } from './texts/mcp-server-texts.ts';
import { mcpSettingTexts } from './texts/mcp-setting-texts.ts';
import { memoryTexts } from './texts/memory-texts.ts';
import { parameterTexts } from './texts/parameter-texts.ts';
import { requestTexts } from './texts/request-texts.ts';
import { settingsTexts } from './texts/settings-texts.ts';
import { skillTexts } from './texts/skill-texts.ts';
import { sweepTexts } from './texts/sweep-texts.ts';
import { taskWarningTexts } from './texts/task-warning-texts.ts';
import { threadFileTexts } from './texts/thread-file-texts.ts';
import { threadTexts } from './texts/thread-texts.ts';
import { waitingTexts } from './texts/waiting-texts.ts';
import { webhookTexts } from './texts/webhook-texts.ts';
import { workerCallTexts } from './texts/worker-call-texts.ts';
import { workflowTexts } from './texts/workflow-texts.ts';

/**
 * Every sentence of the gateway that clients may want in another language. `{said}` at the beginning and `{cause}` at the end are
 * sentences of their own.
 */
export const sentenceTexts = {
  ...workerCallTexts,
  ...attemptTexts,
  ...instanceTexts,
  ...instanceEventTexts,
  ...waitingTexts,
  ...webhookTexts,
  ...addressTexts,
  ...mcpServerTexts,
  ...mcpSettingTexts,
  ...taskWarningTexts,
  ...fieldTexts,
  ...accountTexts,
  ...settingsTexts,
  ...parameterTexts,
  ...sweepTexts,
  ...workflowTexts,
  ...skillTexts,
  ...threadTexts,
  ...threadFileTexts,
  ...memoryTexts,
  ...requestTexts,
} as const;
