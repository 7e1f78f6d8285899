import type { SummarizationSettings } from '../middleware/summarization.ts';
import type { TitleSettings } from '../middleware/thread-title.ts';
import type { SubagentSettings } from '../subagents/subagent-settings.ts';

/** Settings of the lead agent's turns, apart from its model. */
export interface TurnSettings {
  title: TitleSettings;
  summarization: SummarizationSettings;
  /** Absent when the lead agent has no sub-agents. */
  subagents?: SubagentSettings;
}
