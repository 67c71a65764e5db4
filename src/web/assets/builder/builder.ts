import { pageText } from '../page-text.ts'
import { addLiveRegion, announce } from './announce.ts'
import { addDragging } from './drag.ts'
import { closeEditor, isEditing, openEditor } from './inline-editor.ts'
import { addPalette } from './palette.ts'
import { addWidthButtons } from './preview.ts'
import { fieldsOf, here, type Reply, reasonOf, request } from './server.ts'
import { showBuilderPage } from './update.ts'

/**
 * Adds interactive features to the builder. For each change, the script requests the page that the form would load
 * without the script.
 */
export function startBuilder(root: HTMLElement): void {
  const path = location.pathname
  // Enables the style rules for controls that work only with scripts.
  document.documentElement.classList.add('enhanced')
  addLiveRegion()
  addWidthButtons()

  /** Sends a change to the server, and then shows the changed cards. */
  const change = async (fields: URLSearchParams): Promise<Reply | undefined> => {
    try {
      const reply = await request(here(), fields)
      const isBuilder = reply.page.querySelector('#builder') !== null
      if (isBuilder) history.replaceState(null, '', reply.url.pathname + reply.url.search)
      showBuilderPage(root, isBuilder ? reply : await request(here()))
      return reply
    } catch (error) {
      announce(pageText('Not changed. {reason} Try again.', { reason: reasonOf(error) }))
      return undefined
    }
  }

  root.addEventListener('submit', async (event) => {
    const form = event.target as HTMLFormElement
    if (form.id === 'question-form') return
    // Publishing loads a new page, because that page can ask for confirmation.
    if (new URL(form.action).pathname !== path) {
      if (!isEditing()) return
      event.preventDefault()
      await closeEditor(root)
      const { action } = form
      if (!isEditing()) [...document.forms].find((current) => current.action === action)?.requestSubmit()
      return
    }
    event.preventDefault()
    const submitter = event.submitter as HTMLButtonElement | null
    const card = form.closest('li[id]')
    const neighbour = card?.nextElementSibling ?? card?.previousElementSibling
    const reply = await change(fieldsOf(form, submitter))
    if (!reply) return
    const added = reply.url.searchParams.get('id')
    if (added !== null) {
      const link = root.querySelector<HTMLAnchorElement>(`li[data-question="${CSS.escape(added)}"] a[data-edit]`)
      if (link) await openEditor(root, link)
      else location.assign(reply.url)
      return
    }
    keepFocus(root, card, submitter, neighbour ?? null)
  })

  root.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-edit]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    void openEditor(root, link)
  })

  // Shows other cards of a large survey without loading the page, so that the preview stays.
  root.addEventListener('click', async (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-window]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    const { href, hash } = link
    await closeEditor(root)
    const reply = await request(href).catch(() => undefined)
    if (!reply) return location.assign(href)
    history.replaceState(null, '', href)
    showBuilderPage(root, reply)
    const target = document.getElementById(hash.slice(1)) ?? root.querySelector<HTMLElement>('.questions li')
    target?.focus()
    target?.scrollIntoView()
  })

  // What was typed last is saved before a link leads to another page.
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]')
    if (!link || link.target || event.defaultPrevented || !isEditing()) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    void closeEditor(root).then(() => isEditing() || location.assign(link.href))
  })

  document.addEventListener('keydown', (event) => {
    const inField = (event.target as Element).closest('input, textarea, select, dialog')
    if (inField || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return
    event.preventDefault()
    void closeEditor(root).then(() =>
      root.querySelector<HTMLButtonElement>(`.draft-bar button[value=${event.shiftKey ? 'redo' : 'undo'}]`)?.click(),
    )
  })

  addMoveKeys(root)
  addDragging(root, change)
  addPalette(root)
}

/**
 * Lets authors move the focused question with Alt and an arrow key. The effect is the same as that of the question's
 * buttons.
 */
function addMoveKeys(root: HTMLElement): void {
  root.addEventListener('keydown', (event) => {
    const card = (event.target as Element).closest('.question-card:not(.editing)')
    if (!card || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    card.querySelector<HTMLButtonElement>(`button[value=${event.key === 'ArrowUp' ? 'up' : 'down'}]`)?.click()
  })
}

/** Keeps the focus on the card that was moved. After a card was deleted, moves the focus to the next card. */
function keepFocus(
  root: HTMLElement,
  card: Element | null | undefined,
  submitter: HTMLButtonElement | null,
  neighbour: Element | null,
): void {
  if (!card || document.activeElement === submitter) return
  const now = document.getElementById(card.id) ?? (neighbour && document.getElementById(neighbour.id))
  const same = now?.querySelector<HTMLButtonElement>(`button[value="${submitter?.value}"]:not(:disabled)`)
  const target = same ?? now ?? root.querySelector<HTMLElement>('.draft-bar button')
  ;(target as HTMLElement | null)?.focus()
}
