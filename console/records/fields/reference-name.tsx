import { useReference } from 'react-admin'
import { useMe } from '../../me/me.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { pathOf } from '../paths.ts'
import { titleOf } from '../title.ts'

/** The name of a record referred to, leading to it; names asked for on one page are fetched together. */
export function ReferenceName({ to, id }: { to: string; id: number }) {
  const { may } = useMe()
  const isVisible = may(to, 'VIEW')
  const { referenceRecord, isPending } = useReference({ reference: to, id, options: { enabled: isVisible } })
  if (!isVisible) return <>#{id}</>
  if (isPending) return <>…</>
  if (!referenceRecord) return <>#{id}</>
  return <TextLink to={pathOf(to, id)}>{titleOf(to, referenceRecord)}</TextLink>
}
