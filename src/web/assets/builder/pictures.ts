import { pageText } from '../page-text.ts'

/** The server rejects larger images. */
const MAX_BYTES = 5_000_000

/** Lets authors add and remove the images of choices. An image is uploaded when the author chooses the file. */
export function enhancePictures(form: HTMLFormElement): void {
  form.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('[data-picture] button[name=do]')
    const picture = button?.closest('[data-picture]')
    if (!button || !picture) return
    event.preventDefault()
    if (!button.value.startsWith('remove-')) return fieldIn(picture, 'file').click()
    clearPicture(picture)
    form.dispatchEvent(new Event('input'))
    picture.querySelector<HTMLElement>('button')!.focus()
  })
  form.addEventListener('change', (event) => {
    const input = event.target as HTMLInputElement
    const picture = input.closest('[data-picture]')
    if (!picture) return
    if (input.type === 'file') void upload(form, picture, input)
    else if (input === fieldIn(picture, 'image')) showPicture(picture, input.value)
  })
}

/** Removes the image of a choice from the form. */
export function clearPicture(picture: Element): void {
  for (const name of ['file', 'image', 'alt']) fieldIn(picture, name).value = ''
  say(picture, '')
  showPicture(picture, '')
}

const fieldIn = (picture: Element, member: string): HTMLInputElement =>
  picture.querySelector<HTMLInputElement>(`input[name$=".${member}"]`)!

function showPicture(picture: Element, url: string): void {
  picture.querySelector('img')?.remove()
  picture.querySelector<HTMLElement>('button[value^=remove-]')!.hidden = url === ''
  if (url === '') return
  const image = document.createElement('img')
  image.alt = ''
  image.referrerPolicy = 'no-referrer'
  // The address of an uploaded image begins with a slash. The service may have only a path of this host.
  image.src = url.startsWith('/') ? new URL(`..${url}`, import.meta.url).href : url
  picture.prepend(image)
}

function say(picture: Element, text: string, isError = false): void {
  const status = picture.querySelector('.picture-status')!
  status.classList.toggle('error', isError)
  status.textContent = text
}

/**
 * Uploads an image, and then shows it and asks for its description. After an error, the form keeps the previous image.
 */
async function upload(form: HTMLFormElement, picture: Element, input: HTMLInputElement): Promise<void> {
  const [file] = input.files ?? []
  if (!file) return
  say(picture, pageText('Uploading…'))
  const { url, error } =
    file.size > MAX_BYTES ? { error: pageText('The image is larger than 5 MB.') } : await send(form, file)
  input.value = ''
  if (url === undefined) return say(picture, error ?? '', true)
  fieldIn(picture, 'image').value = url
  showPicture(picture, url)
  const alt = fieldIn(picture, 'alt')
  say(picture, alt.value.trim() === '' ? pageText('Image uploaded. Describe it below.') : pageText('Image uploaded.'))
  alt.focus()
  // The server rejects an image without a description. The form is therefore saved only when the author has typed a
  // description or closes the form.
  form.dispatchEvent(new Event(alt.value.trim() === '' ? 'builder:unsaved' : 'input'))
}

async function send(form: HTMLFormElement, file: File): Promise<{ url?: string; error?: string }> {
  const body = new FormData()
  body.set('_csrf', form.querySelector<HTMLInputElement>('[name=_csrf]')!.value)
  body.set('file', file)
  try {
    const reply = await fetch(new URL('../image/', form.action), { method: 'POST', body })
    return await reply.json()
  } catch {
    return {
      error: pageText(
        'The image could not be uploaded. Check your connection and that you are signed in, then try again.',
      ),
    }
  }
}
