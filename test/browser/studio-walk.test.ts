import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { coloursOf } from './support/cut-out.ts';
import { addBoxes, type Box } from './support/fleet.ts';
import { keyboard, pointer } from './support/hands.ts';
import { type Look, Stage } from './support/stage.ts';
import { StudioWalker } from './support/studio-walker.ts';

const hands = { pointer, keyboard };

interface Walk extends Required<Pick<Look, 'width' | 'theme' | 'locale'>> {
  hand: keyof typeof hands;
}

const all: Walk[] = (['pointer', 'keyboard'] as const).flatMap((hand) =>
  [1280, 360].flatMap((width) =>
    (['light', 'dark'] as const).flatMap((theme) =>
      (['en', 'zh-CN'] as const).map((locale) => ({ hand, width, theme, locale })),
    ),
  ),
);

/** Each hand, width, theme and language once. */
const few: Walk[] = [
  { hand: 'pointer', width: 1280, theme: 'light', locale: 'zh-CN' },
  { hand: 'keyboard', width: 360, theme: 'dark', locale: 'en' },
];

const nameOf = ({ hand, width, theme, locale }: Walk) => `${hand} ${width} ${theme} ${locale}`;

/** `all`, or a word such as "keyboard 360" that the names of the wanted walks begin with. */
const asked = process.env.STUDIO_WALKS;
const walks = asked ? all.filter((walk) => asked === 'all' || nameOf(walk).startsWith(asked)) : few;

describe.runIf(canBrowse)('two users of the studio', () => {
  let stage: Stage;
  let boxes: Box[];

  beforeAll(async () => {
    stage = await Stage.open();
    boxes = await addBoxes(await stage.admin(), ['box-a'], 5);
  });
  afterEach(() => stage.closePages());
  afterAll(async () => {
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  const newestFile = async (session: HttpSession) => {
    const { data } = await session.get<{ data: { items: { url: string }[] } }>('/api/files?source=output');
    const answer = await fetch(new URL(data.items[0]?.url ?? '', stage.url));
    return answer.arrayBuffer();
  };
  const completed = async (session: HttpSession) =>
    (await session.get<{ data: { total: number } }>('/api/tasks?limit=1&status=completed')).data.total;

  it.each(walks.map((walk) => ({ name: nameOf(walk), walk })))(
    'get from an import over a grid and a mask to what the other one runs: $name',
    async ({ walk: { hand, ...look } }) => {
      const address = (who: string) =>
        `${who}-${hand}-${Object.values(look).join('-')}@example.com`.toLowerCase();
      const [mine, theirs] = [address('ada'), address('ben')];
      const [owner, receiver] = [await stage.member(mine), await stage.member(theirs)];
      const walker = async (session: HttpSession) => {
        const { page, faults } = await stage.visit({ ...look, session });
        return new StudioWalker(page, { hands: hands[hand], locale: look.locale, faults });
      };
      const ada = await walker(owner);
      await ada.importWorkflow('Walk');
      await ada.pinFields({ blur_radius: 'Blur', sigma: 'Strength', 'photo image': 'Picture' });
      await ada.takePhoto();
      await ada.sweep();
      expect(await completed(owner)).toBe(9);
      await ada.openCell();
      await ada.paintOverCell();
      await ada.run();
      expect(await completed(owner)).toBe(10);
      const colourAt = await coloursOf(await newestFile(owner));
      const isRed = ([red = 0, green = 0]: number[]) => red > green;
      expect([isRed(colourAt(48, 32)), isRed(colourAt(2, 2))]).toEqual([true, false]);
      await ada.collect('Sea');
      await ada.shareCollection('Sea', theirs);
      await ada.shareWorkflow('Walk', theirs);

      const ben = await walker(receiver);
      await ben.openSharedCollection('Sea', { from: mine, count: 2 });
      await ben.runSharedWorkflow('Walk');
      expect(await completed(receiver)).toBe(1);
      expect([...ada.faults, ...ben.faults]).toEqual([]);
    },
  );
});
