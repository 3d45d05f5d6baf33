import AccountCircle from '@mui/icons-material/AccountCircleOutlined'
import Check from '@mui/icons-material/Check'
import Button from '@mui/material/Button'
import Divider from '@mui/material/Divider'
import ListItemIcon from '@mui/material/ListItemIcon'
import ListSubheader from '@mui/material/ListSubheader'
import Menu from '@mui/material/Menu'
import MenuItem from '@mui/material/MenuItem'
import { useColorScheme } from '@mui/material/styles'
import { useState } from 'react'
import { useLogout, useNavigate } from 'react-admin'
import { useMe } from '../me/me.tsx'
import { type Language, languages, useLanguage, useTexts } from '../texts/texts.tsx'

/** The menu of the account: its page, the language, light or dark, and sign-out. */
export function ProfileMenu() {
  const { shell } = useTexts()
  const { account } = useMe()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [language, setLanguage] = useLanguage()
  const { mode, setMode } = useColorScheme()
  const signOut = useLogout()
  const navigate = useNavigate()
  const close = () => setAnchor(null)
  const choosing = (act: () => void) => () => {
    close()
    act()
  }
  return (
    <>
      <Button
        color="inherit"
        startIcon={<AccountCircle />}
        aria-label={shell.account(account.name)}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      >
        {account.name.split(' ')[0]}
      </Button>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        slotProps={{ paper: { component: 'section', 'aria-label': shell.account(account.name) } as object }}
      >
        <MenuItem onClick={choosing(() => navigate('/profile'))}>{shell.profile}</MenuItem>
        <Divider />
        <ListSubheader role="presentation">{shell.languages}</ListSubheader>
        {(Object.keys(languages) as Language[]).map((name) => (
          <Option
            key={name}
            isChosen={name === language}
            label={languages[name]}
            onChoose={choosing(() => setLanguage(name))}
            lang={name}
          />
        ))}
        <Divider />
        <ListSubheader role="presentation">{shell.appearance}</ListSubheader>
        {(['system', 'light', 'dark'] as const).map((name) => (
          <Option key={name} isChosen={name === mode} label={shell[name]} onChoose={choosing(() => setMode(name))} />
        ))}
        <Divider />
        <MenuItem onClick={() => signOut()}>{shell.signOut}</MenuItem>
      </Menu>
    </>
  )
}

type OptionProps = { isChosen: boolean; label: string; lang?: string; onChoose(): void }

const Option = ({ isChosen, label, onChoose, lang, ...rest }: OptionProps) => (
  <MenuItem role="menuitemradio" aria-checked={isChosen} onClick={onChoose} lang={lang} {...rest}>
    <ListItemIcon>{isChosen && <Check fontSize="small" />}</ListItemIcon>
    {label}
  </MenuItem>
)
