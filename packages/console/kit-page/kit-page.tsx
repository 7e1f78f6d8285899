import { Page } from '../src/kit/page.tsx';
import { PreferenceMenus } from '../src/kit/preferences/preference-menus.tsx';
import { Controls } from './controls.tsx';
import { Forms } from './forms.tsx';
import { Layers } from './layers.tsx';
import { Lists } from './lists.tsx';
import { Pictures } from './pictures.tsx';
import { States } from './states.tsx';
import { TextParts } from './text-parts.tsx';
import { Times } from './times.tsx';

/** Every part of the console in its states. The names are in English; what the parts say is in the chosen language. */
export function KitPage() {
  return (
    <main className="min-w-0">
      <Page
        title="Parts of the console"
        lead="Each part in its states. Language and theme are chosen at the right."
        actions={<PreferenceMenus />}
      >
        <Controls />
        <Forms />
        <States />
        <Lists />
        <TextParts />
        <Times />
        <Pictures />
        <Layers />
      </Page>
    </main>
  );
}
