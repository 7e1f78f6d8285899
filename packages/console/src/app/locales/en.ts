import { collectMessages, type Texts } from '../collect-messages.ts';

export const messages = collectMessages(
  import.meta.glob<Texts>('/src/**/messages/en.json', { eager: true, import: 'default' }),
);
