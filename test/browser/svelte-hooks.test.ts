import { canBrowse } from '@switchyard/dev-env/chromium';
import { describe } from 'vitest';
import { hookStory } from './hooks/hook-story.ts';

describe.runIf(canBrowse)('a page made with @langchain/svelte', () =>
  hookStory({ file: 'svelte-page.ts', saysThatItWorks: false }),
);
