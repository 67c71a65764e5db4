import { Idiomorph } from 'idiomorph'
import { announce } from './announce.ts'
import { refreshPreview } from './preview.ts'
import type { Reply } from './server.ts'

/** Returns whether a node must stay as it is: it is unchanged, or is being edited. */
const staysSame = (node: Node, next: Node): boolean =>
  node.isEqualNode(next) || (node instanceof Element && node.classList.contains('editing'))

/** Updates the cards to those of a page. Cards that did not change are not touched. */
export function showBuilderPage(root: HTMLElement, { page }: Reply): void {
  const next = page.querySelector('#builder')
  if (!next) return
  Idiomorph.morph(root, next, {
    callbacks: { beforeNodeMorphed: (node: Node, after: Node) => !staysSame(node, after) },
  })
  root.dispatchEvent(new CustomEvent('builder:updated'))
  announceMessage(page)
  refreshPreview()
}

/** Updates the state of the draft to that of a page. */
export function showDraftBar(root: HTMLElement, { page }: Reply): void {
  const [bar, next] = [root.querySelector('.draft-bar'), page.querySelector('.draft-bar')]
  if (bar && next) Idiomorph.morph(bar, next)
  refreshPreview()
}

/** Reads the message of a page aloud: what was done, or why nothing was. */
export function announceMessage(page: Document): void {
  const message = page.querySelector('main .alert, main > .notice')?.textContent
  if (message) announce(message.trim())
}
