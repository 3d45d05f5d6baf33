/** What is about no company, or about all: by the beginning of its name, or of its text, and why. */
const unrouted: { readonly [beginning: string]: string } = {
  'select nextval(': 'ids are drawn from the coordinator',
  'history.ids': 'ids are drawn from the coordinator',
}

export const isUnrouted = ({ name }: { name: string; text: string }): boolean =>
  Object.keys(unrouted).some((beginning) => name.trim().startsWith(beginning))
