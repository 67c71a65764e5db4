import { type Html, html } from '../../../lib/html.ts'
import { errorView, NOT_FOUND } from '../../errors/error-page.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { sideMenu } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInPage, SignedInRequest } from '../../session.ts'

export const ADMINISTRATION_PATH = '/administration/'

/** The pages of the administration, in the order of the side list. */
const PARTS = perLanguage(
  () =>
    [
      { name: 'installation', label: t('Overview'), path: '' },
      { name: 'users', label: t('Users'), path: 'users/' },
      { name: 'mail', label: t('Mail'), path: 'mail/' },
      { name: 'jobs', label: t('Jobs'), path: 'jobs/' },
      { name: 'storage', label: t('Storage'), path: 'storage/' },
      { name: 'backups', label: t('Backups'), path: 'backups/' },
      { name: 'health', label: t('Health'), path: 'health/' },
      { name: 'settings', label: t('Settings'), path: 'settings/' },
      { name: 'activity', label: t('Activity'), path: 'activity/' },
    ] as const,
)
export type Part = ReturnType<typeof PARTS>[number]['name']

/** Renders a page that does not exist, for everyone who is not an administrator. */
const notFoundPage = ({ render }: SignedInRequest): PageResult => {
  const { title, ...error } = NOT_FOUND()
  return render({ title, content: html`<section class="card">${errorView(error)}</section>` }, 404)
}

/** @param path the path of the page that is shown */
const sideList = (current: Part, path: string): Html => {
  const links = PARTS().map(({ name, label, path }) => {
    return { label, path: `${ADMINISTRATION_PATH}${path}`, isCurrent: name === current }
  })
  return sideMenu(
    t('Administration'),
    links,
    links.some((link) => link.path === path),
  )
}

/**
 * Converts a page of the administration to a page function, which shows the list of the pages beside the page. For
 * everyone who is not an administrator, the page does not exist.
 */
export const administrationPage =
  (part: Part, page: SignedInPage): SignedInPage =>
  async (request) => {
    if (!request.session.isAdministrator) return notFoundPage(request)
    return page({
      ...request,
      render: (shown, status) => {
        const isNamedBySide = PARTS().some(({ label }) => label === shown.title) && !shown.action
        const side = sideList(part, request.ctx.path)
        return request.render({ hidesHeading: isNamedBySide, ...shown, side }, status)
      },
    })
  }
