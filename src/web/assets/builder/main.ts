// Adds interactive features to the builder: forms are submitted without loading the page, authors edit and drag cards
// on the page, and they search the list of question types. The page also works without this script.
import { startBuilder } from './builder.ts'

const root = document.querySelector<HTMLElement>('#builder')
if (root?.querySelector('form')) startBuilder(root)
