import type { Section } from './row.ts'

/** Themes, in version 3 only. */
export const themes: Section = {
  section: '5.13',
  rows: [
    [
      'Themes of surveys and accounts: inheritance, contrast, logos, links',
      ['v3.getTheme', 'v3.updateTheme', 'v3.getUserTheme', 'v3.updateUserTheme'],
      'api/v3/themes › updateTheme › changes the given properties, keeps the others, and inherits the properties that are null',
      'api/v3/themes › updateTheme › returns 400 with the measured contrast and a colour with enough contrast',
      'api/v3/themes › updateTheme › stores an image and serves it at its URL with its media type',
      'api/v3/themes › updateUserTheme › changes the theme of every survey that has no own theme',
    ],
  ],
}
