import type { SummarizationSettings } from '../middleware/summarization.ts';
import type { TitleSettings } from '../middleware/thread-title.ts';
import type { SubagentSettings } from '../subagents/subagent-settings.ts';

/** How the lead agent goes about a turn, beside its model. */
export interface TurnSettings {
  title: TitleSettings;
  summarization: SummarizationSettings;
  /** Absent for none. */
  subagents?: SubagentSettings;
}
