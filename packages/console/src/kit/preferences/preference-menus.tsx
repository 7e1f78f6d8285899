import { Check, Languages, Monitor, Moon, Sun } from 'lucide-react';
import { useText } from '../../lib/i18n.ts';
import { localeChoice, locales } from '../../lib/locale-choice.ts';
import { themeChoice, themes } from '../../lib/theme.ts';
import { IconButton } from '../button.tsx';
import { Menu } from '../menu.tsx';

const themeIcons = { system: Monitor, light: Sun, dark: Moon };
/** Each language in its own words, so that everybody finds theirs. */
const localeNames = { en: 'English', 'zh-CN': '简体中文' };

/** The choices of this browser: language and theme. */
export function PreferenceMenus() {
  return (
    <>
      <LocaleMenu />
      <ThemeMenu />
    </>
  );
}

function LocaleMenu() {
  const text = useText('preferences');
  const chosen = localeChoice.use();
  const items = locales.map((locale) => ({
    label: localeNames[locale],
    icon: <Mark shown={locale === chosen} />,
    onSelect: () => localeChoice.set(locale),
  }));
  const label = text('locale');
  return (
    <Menu
      label={label}
      items={items}
      trigger={<IconButton label={label} icon={<Languages size={16} strokeWidth={1.75} aria-hidden />} />}
    />
  );
}

function ThemeMenu() {
  const text = useText('preferences');
  const chosen = themeChoice.use();
  const items = themes.map((theme) => ({
    label: text(`themes.${theme}`),
    icon: <Mark shown={theme === chosen} />,
    onSelect: () => themeChoice.set(theme),
  }));
  const label = text('theme');
  const Icon = themeIcons[chosen];
  return (
    <Menu
      label={label}
      items={items}
      trigger={<IconButton label={label} icon={<Icon size={16} strokeWidth={1.75} aria-hidden />} />}
    />
  );
}

function Mark({ shown }: { shown: boolean }) {
  return <Check size={16} strokeWidth={1.75} aria-hidden className={shown ? '' : 'invisible'} />;
}
