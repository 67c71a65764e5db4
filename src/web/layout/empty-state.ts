import { type Html, html, type Part } from '../../lib/html.ts'
import { type IconName, icon } from './icon.ts'

/**
 * Renders the content of a page whose list has no entries yet: the purpose of the list, and a link to the form that
 * creates the first entry.
 */
export const emptyState = (name: IconName, title: string, text: Part, action: { path: string; label: string }): Html =>
  html`<section class="card empty">${icon(name)}<h2>${title}</h2><p class="soft">${text}</p><p class="below"><a class="button primary" href="${action.path}">${icon('plus')}${action.label}</a></p></section>`
