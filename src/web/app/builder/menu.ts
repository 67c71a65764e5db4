import type { Permission } from '../../../domain/group/access.ts'
import type { Html } from '../../../lib/html.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { sideMenu } from '../../layout/parts.ts'

const PAGES = perLanguage(
  () =>
    [
      { name: 'questions', label: t('Questions'), path: 'edit/', permission: ['Edit', 'Test'] },
      { name: 'languages', label: t('Languages'), path: 'edit/languages/', permission: 'Edit' },
      { name: 'theme', label: t('Theme'), path: 'edit/theme/', permission: 'Edit' },
      { name: 'texts', label: t('Buttons and messages'), path: 'edit/texts/', permission: 'Edit' },
      { name: 'quotas', label: t('Quotas'), path: 'edit/quotas/', permission: 'Edit' },
      { name: 'settings', label: t('Settings'), path: 'edit/settings/', permission: 'Edit' },
      { name: 'paper', label: t('Paper edition'), path: 'edit/paper/', permission: ['Edit', 'Test'] },
      { name: 'versions', label: t('Versions'), path: 'edit/versions/', permission: 'Edit' },
      { name: 'json', label: t('JSON'), path: 'edit/json/', permission: ['Edit', 'Test'] },
      { name: 'webhooks', label: t('Webhooks'), path: 'webhooks/', permission: 'Owner' },
    ] as const,
)
export type EditPage = ReturnType<typeof PAGES>[number]['name']

/** The address of a survey, and what the user may do with it. */
interface Editor {
  root: string
  may(permission: Permission): boolean
}

/**
 * Renders the side list of the Edit tab.
 * @param inside whether the page that is shown is a subpage of the page `current`
 */
export const editMenu = ({ root, may }: Editor, current: EditPage, inside = false): Html =>
  sideMenu(
    t('Edit'),
    PAGES()
      .filter(({ permission }) => may(permission))
      .map(({ name, label, path }) => ({ label, path: root + path, isCurrent: name === current })),
    !inside,
  )

/** Returns whether a page of the Edit tab has this name. */
export const isEditPage = (title: string): boolean => PAGES().some(({ label }) => label === title)
