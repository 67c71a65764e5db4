import { pageText } from '../page-text.ts'
import { autosave } from './autosave.ts'
import { enhanceItems } from './items.ts'
import { enhancePictures } from './pictures.ts'
import { refreshPreview } from './preview.ts'
import { here, request } from './server.ts'
import { showBuilderPage } from './update.ts'

/** The form that is open, with a function that saves it. Only one card can be edited at a time. */
let open: { host: Element; form: HTMLFormElement; flush(replace?: boolean): Promise<boolean> } | undefined

/** Loads the form at the address of a link, and opens it inside the card of its question, page or survey. */
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
  enhancePictures(form)
  enhancePlaceholders(form)
  form.querySelector<HTMLElement>('.actions button')!.textContent = pageText('Done')
  form.querySelector('.actions a')?.remove()
  const first = form.querySelector<HTMLTextAreaElement>('[name=title]')
  first?.focus()
  first?.select()
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (event.submitter?.closest('.conflict')) void open?.flush(true)
    else void closeEditor(root, true)
  })
  form.addEventListener('click', (event) => {
    if (!(event.target as Element).closest('[data-theirs]')) return
    event.preventDefault()
    discardEditor()
    void openEditor(root, link)
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) void closeEditor(root, true)
    else if (event.key === 'Enter' && event.target === first && !event.shiftKey && !event.isComposing) {
      // Shift and Enter begin a new line of the title.
      event.preventDefault()
      const next = form.querySelector<HTMLInputElement>('.items input.box')
      if (next) next.select()
      else form.querySelector<HTMLElement>('.actions button')!.focus()
    }
  })
}

/**
 * Saves the open form, and closes it if everything is saved.
 * @param focus whether to move the focus back to the card
 */
export async function closeEditor(root: HTMLElement, focus = false): Promise<void> {
  if (!open) return
  const { host, form, flush } = open
  if (!(await flush())) return
  open = undefined
  form.remove()
  host.classList.remove('editing')
  const reply = await request(here()).catch(() => undefined)
  if (reply) showBuilderPage(root, reply)
  if (focus) (host.querySelector<HTMLElement>('a[data-edit]') ?? root).focus()
}

/** Returns whether a form is open. */
export const isEditing = (): boolean => open !== undefined

/** Closes the open form without saving it. */
function discardEditor(): void {
  open?.form.remove()
  open?.host.classList.remove('editing')
  open = undefined
}

/** Makes the buttons of the placeholder menu insert a placeholder at the cursor of a text field, without a request. */
function enhancePlaceholders(form: HTMLFormElement): void {
  form.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('.placeholders button[name=do]')
    const name = form.querySelector<HTMLSelectElement>('[name=placeholder]')?.value
    const text = form.querySelector<HTMLTextAreaElement>(`[name=${button?.value.replace('insert.', '')}]`)
    if (!button || !name || !text) return
    event.preventDefault()
    const { selectionStart: start, selectionEnd: end } = text
    const space = start > 0 && !/\s$/.test(text.value.slice(0, start)) ? ' ' : ''
    text.setRangeText(`${space}{{ ${name} }}`, start, end, 'end')
    text.dispatchEvent(new Event('input', { bubbles: true }))
    text.focus()
  })
}
