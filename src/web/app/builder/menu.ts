import { type Html, html } from '../../../lib/html.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

const PAGES = perLanguage(
  () =>
    [
      { name: 'questions', label: t('Questions'), path: 'edit/', permission: ['Edit', 'Test'] },
      { name: 'json', label: t('JSON'), path: 'edit/json/', permission: ['Edit', 'Test'] },
      { name: 'theme', label: t('Theme'), path: 'edit/theme/', permission: 'Edit' },
      { name: 'texts', label: t('Buttons and messages'), path: 'edit/texts/', permission: 'Edit' },
      { name: 'versions', label: t('Versions'), path: 'edit/versions/', permission: 'Edit' },
      { name: 'settings', label: t('Settings'), path: 'edit/settings/', permission: 'Edit' },
    ] as const,
)
export type EditPage = ReturnType<typeof PAGES>[number]['name']

/**
 * Renders links to the pages of the Edit tab.
 * @param inside whether the page that is shown is a subpage of the page `current`
 */
export const editMenu = ({ root, may }: SurveyRequest, current: EditPage, inside = false): Html =>
  html`<nav class="menu" aria-label="Edit">
    <ul>
      ${PAGES()
        .filter(({ permission }) => may(permission))
        .map(
          ({ name, label, path }) =>
            html`<li>
              <a href="${root}${path}"${name === current && html` aria-current="${inside ? 'true' : 'page'}"`}>
                ${label}
              </a>
            </li>`,
        )}
    </ul>
  </nav>`
