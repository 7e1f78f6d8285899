import { useTranslations } from 'use-intl';

/** The texts of one namespace: the name of a feature, `kit` or `app`. */
export const useText: typeof useTranslations = useTranslations;
