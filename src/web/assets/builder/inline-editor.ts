import { announce } from './announce.ts'
import { enhanceItems, setUids } from './items.ts'
import { enhancePlaceholders } from './placeholders.ts'
import { refreshPreview } from './preview.ts'
import { fieldsOf, request } from './server.ts'
import { announceMessage, showBuilderPage, showDraftBar } from './update.ts'

/** Milliseconds without typing until the question is saved. */
const SAVE_DELAY_MS = 700

/** The open form, with a function that saves it. Only one card is edited at a time. */
let open: { host: Element; form: HTMLFormElement; flush(): Promise<boolean> } | undefined

/** Opens the form of a link in place: in the card of its question, page or survey. */
export async function openEditor(root: HTMLElement, link: HTMLAnchorElement): Promise<void> {
  const href = link.href
  const host = link.closest('.question-card, .page-head, .survey-card')
  if (!host) return
  await closeEditor(root)
  const reply = await request(href).catch(() => undefined)
  const form = reply?.page.querySelector<HTMLFormElement>('#question-form')
  if (!form || !host.isConnected) {
    location.assign(href)
    return
  }
  form.classList.remove('card')
  host.classList.add('editing')
  host.append(form)
  const pageNumber = host.closest('.builder-page')?.id.replace('page-', '')
  if (pageNumber) refreshPreview(Number(pageNumber))
  open = { host, form, flush: autosave(root, form) }
  enhanceItems(form)
  enhancePlaceholders(form)
  form.querySelector<HTMLElement>('.actions button')!.textContent = 'Done'
  form.querySelector('.actions a')?.remove()
  const first = form.querySelector<HTMLTextAreaElement>('[name=title]')
  first?.focus()
  first?.select()
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void closeEditor(root, true)
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) void closeEditor(root, true)
  })
}

/**
 * Saves and closes the open form.
 * @param focus whether the focus returns to the card
 */
export async function closeEditor(root: HTMLElement, focus = false): Promise<void> {
  if (!open) return
  const { host, form, flush } = open
  if (!(await flush())) return
  open = undefined
  form.remove()
  host.classList.remove('editing')
  const reply = await request(location.pathname).catch(() => undefined)
  if (reply) showBuilderPage(root, reply)
  if (focus) (host.querySelector<HTMLElement>('a[data-edit]') ?? root).focus()
}

/**
 * Saves a form some time after the last change.
 * @returns a function that immediately saves unsaved changes, and returns whether everything is saved
 */
function autosave(root: HTMLElement, form: HTMLFormElement): () => Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let unsaved = false
  const state = document.createElement('p')
  state.className = 'soft save-state'
  form.querySelector('.actions')?.append(state)

  const save = async (): Promise<boolean> => {
    clearTimeout(timer)
    if (!unsaved) return true
    unsaved = false
    state.textContent = 'Saving…'
    const fields = fieldsOf(form)
    fields.set('do', 'autosave')
    const rows = [...form.querySelectorAll('.items li')]
    try {
      const reply = await request(form.action, fields)
      const stored = reply.page.querySelector<HTMLFormElement>('#question-form')
      if (!reply.ok || !stored) throw new Error('rejected', { cause: reply })
      form.querySelector<HTMLInputElement>('[name=seen]')!.value =
        stored.querySelector<HTMLInputElement>('[name=seen]')!.value
      setUids(rows, stored)
      form.querySelector('.alert')?.remove()
      for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
      if (!unsaved) state.textContent = 'Saved to the draft'
      showDraftBar(root, await request(`${location.pathname}?part=draft`))
      return !unsaved || save()
    } catch (error) {
      unsaved = true
      const { cause } = error as { cause?: { page: Document } }
      state.textContent = 'Not saved'
      if (cause) showErrors(form, cause.page)
      else announce('Not saved: the server could not be reached. Your text stays here.')
      return false
    }
  }
  form.addEventListener('input', () => {
    unsaved = true
    state.textContent = ''
    clearTimeout(timer)
    timer = setTimeout(save, SAVE_DELAY_MS)
  })
  addEventListener('beforeunload', (event) => {
    if (unsaved && form.isConnected) event.preventDefault()
  })
  return save
}

/** Shows the errors of a rejected form at its fields. */
function showErrors(form: HTMLFormElement, page: Document): void {
  const rejected = page.querySelector('#question-form')
  form.querySelector('.alert')?.remove()
  const alert = rejected?.querySelector('.alert') ?? page.querySelector('main .alert')
  if (alert) form.prepend(alert.cloneNode(true))
  for (const field of rejected?.querySelectorAll('[aria-invalid]') ?? [])
    form.querySelector(`[name="${field.getAttribute('name')}"]`)?.setAttribute('aria-invalid', 'true')
  const seen = rejected?.querySelector<HTMLInputElement>('[name=seen]')
  // After a conflict, a second save replaces the change of the other author.
  if (seen && alert) form.querySelector<HTMLInputElement>('[name=seen]')!.value = seen.value
  announceMessage(page)
}
