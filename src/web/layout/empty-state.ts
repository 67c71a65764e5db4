import { type Html, html, type Part } from '../../lib/html.ts'
import { type IconName, icon } from './icon.ts'

/** Renders what a list without entries is for, and the link to the form that creates the first entry. */
export const emptyState = (name: IconName, title: string, text: Part, action: { path: string; label: string }): Html =>
  html`<section class="card empty">${icon(name)}<h2>${title}</h2><p class="soft">${text}</p><p class="below"><a class="button primary" href="${action.path}">${icon('plus')}${action.label}</a></p></section>`
