"""Labelled texts for redaction: what holds a secret, and what only looks as if.

Every value is made up when the tests run, from a fixed seed, and every beginning of a token is
written in pieces, so that no scanner takes this file for a leak. Half of the texts, chosen by
their hash, are held out: rules are written by looking at the others alone.
"""

from __future__ import annotations

import hashlib
import random
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass

_ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "a": string.ascii_lowercase + string.digits,
    "l": string.ascii_lowercase,
    "u": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "s": string.ascii_uppercase + "234567",
}
_PART = re.compile(r"\{([Aaluhdwbs])(\d+)\}|\{U\}")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, the secret in it, and which shape or template it was made from."""

    name: str
    text: str
    secret: str

    @property
    def is_held_out(self) -> bool:
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 1


def made_up(shape: str, *, seed: str) -> str:
    """Fill a shape: `gh|p_{A36}` is `ghp_` and 36 letters and digits; `{U}` is a UUID."""
    chance = random.Random(f"{shape}/{seed}")

    def fill(found: re.Match[str]) -> str:
        if found[1] is None:
            return "-".join(
                "".join(chance.choices("0123456789abcdef", k=size)) for size in (8, 4, 4, 4, 12)
            )
        return "".join(chance.choices(_ALPHABETS[found[1]], k=int(found[2])))

    return _PART.sub(fill, shape.replace("|", ""))


# Tokens with a beginning

TOKENS = dict(
    line.split(" ", 1)
    for line in """\
openai sk|-{A48}
openai-project sk|-proj-{w80}
openai-service sk|-svcacct-{w60}
anthropic sk|-ant-api03-{w93}AA
openrouter sk|-or-v1-{h64}
deepseek sk|-{h32}
hugging-face h|f_{A34}
groq gs|k_{A52}
replicate r|8_{A37}
perplexity pp|lx-{A48}
nvidia nv|api-{w64}
xai xa|i-{A80}
tavily tv|ly-dev-{A32}
pinecone pc|sk_{A6}_{A60}
langsmith ls|v2_pt_{h32}_{h10}
zhipu {h32}.{A16}
github gh|p_{A36}
github-app gh|s_{A36}
github-fine github|_pat_{A22}_{A59}
gitlab gl|pat-{w20}
gitlab-runner gl|rt-{w20}
npm np|m_{A36}
pypi py|pi-AgEIcHlwaS5vcmc{w100}
rubygems rubygems|_{h48}
crates ci|o{A32}
docker-hub dck|r_pat_{w27}
postman PM|AK-{h24}-{h34}
sonar sq|p_{h40}
aws-id AK|IA{s16}
aws-temporary AS|IA{s16}
google AI|za{w35}
google-oauth ya|29.{w80}
google-client GOC|SPX-{w28}
alibaba LT|AI{A20}
tencent AK|ID{A32}
digitalocean do|p_v1_{h64}
fly fm|2_{b80}
render rn|d_{A32}
netlify nf|p_{A36}
heroku HR|KU-{w60}
supabase sb|p_{h40}
planetscale psc|ale_tkn_{w43}
doppler dp|.pt.{A43}
vault hv|s.{w95}
pulumi pu|l-{h40}
databricks da|pi{h32}
terraform {A14}.atlas|v1.{w67}
tailscale ts|key-auth-{A16}-{A32}
new-relic NR|AK-{u27}
grafana gl|sa_{A32}_{h8}
sentry snt|rys_{b120}
honeycomb hc|aik_{a58}
dynatrace dt|0c01.{u24}.{u64}
stripe sk|_live_{A24}
stripe-restricted rk|_live_{A32}
stripe-webhook wh|sec_{A32}
square sq|0atp-{w22}
shopify shp|at_{h32}
razorpay rz|p_live_{A14}
plaid access|-production-{U}
flutterwave FLW|SECK-{h32}-X
sendgrid S|G.{w22}.{w43}
mailgun ke|y-{h32}
mailchimp {h32}-u|s12
brevo xkey|sib-{h64}-{A16}
resend r|e_{A8}_{A24}
twilio S|K{h32}
slack-bot xo|xb-{d12}-{d13}-{A24}
slack-user xo|xp-{d12}-{d12}-{d12}-{h32}
slack-app xa|pp-1-A{u10}-{d13}-{h64}
telegram {d10}:A|A{w33}
discord M{A23}.{A6}.{w27}
atlassian ATA|TT3{w180}={u8}
bitbucket AT|BB{A32}
linear lin|_api_{A40}
notion nt|n_{A46}
airtable pa|t{A14}.{h64}
figma fig|d_{w40}
asana 1/{d16}:{h32}
hubspot pa|t-na1-{U}
azure-client {A3}8|Q~{A34}
azure-devops-sas s|ig={b43}%3D
json-web-token ey|J{A34}.ey|J{A80}.{w43}
age AGE-SECRET|-KEY-1{u58}
1password A3|-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}
nostr nsec|1qqqsyrhqx{a48}
databricks-oauth do|se{h32}
cloudflare-origin v1|.0-{h24}-{h146}
wandb-new wandb|_v1_{A60}
elevenlabs s|k_{h48}
jina ji|na_{A60}
""".splitlines()
    if not line.startswith(("nostr", "databricks-oauth"))
)

# {} is the token.
TOKEN_FORMS = {
    "prose": "Please use {} for the nightly job.",
    "bare": "{}",
    "assigned": "export SERVICE_CREDENTIAL={}",
    "json": '{{"name": "ci", "value": "{}"}}',
    "header": "curl -H 'X-Custom: {}' https://api.example.com/v1/items",
    "chinese": "我刚生成的是{}，帮我写到配置里。",
    "chinese-quoted": "令牌“{}”先别提交到仓库",
    "coloured": "\x1b[32m{}\x1b[0m",
    "written-escape": 'log: "done\\n{}\\n"',
    "code": "client = Client(`{}`)",
    "yaml": "stages:\n  - deploy: {}\n",
}
# One character of no width, or a control character, within the token
HIDDEN_FORMS = ("\u200b", "\x07", "\u00ad", "\x1b[1m")

# What a name gives away: (name, text); {} is the value
VALUES = ("{l6}{d3}", "{A12}", "{A8}!{d2}", "P@{l5}{d2}#", "{l4}-{l4}-{d4}", "{A16}")

ENGLISH_PASSWORDS = """\
The password is {}.
the wifi password at home is {}
The wifi password is {}
password for staging: {}
the db pass is {}
My Netflix password has been changed to {}
the password for my bank account is {}
the password for db.example.com is {}
root password on the new box: {}
Use {} as the admin password.
{} is my password
I think {} is the password for the NAS
log in as deploy with password {}
login: admin / {}
credentials: admin:{}
user bob, pass {}
username: alice password: {}
The passphrase for the key is {}
DB_PASSWORD={}
POSTGRES_PASSWORD: {}
password = "{}"
"password": "{}",
'passwd' => '{}',
pwd={};
Server=db;Database=app;User Id=sa;Password={};
jdbc:mysql://db/app?user=root&password={}
mysql -u root -p{} app
mysqldump -h db -uroot -p{} app > dump.sql
PGPASSWORD={} psql -h db app
sshpass -p {} ssh root@10.0.0.4
curl -u admin:{} https://api.example.com
curl --user admin:{} https://api.example.com
redis-cli -h cache -a {} ping
docker login -u me -p {} registry.example.com
wget --http-password={} https://files.example.com/a.zip
echo {} | sudo -S reboot
machine api.example.com login me password {}
postgres://app:{}@db.example.com:5432/app
amqp://guest:{}@mq:5672/
https://me:{}@git.example.com/team/repo.git
ALTER USER app WITH PASSWORD '{}';
CREATE USER 'app'@'%' IDENTIFIED BY '{}';
<password>{}</password>
spring.datasource.password={}
ansible_become_pass: {}
requirepass {}
smtp password: {}
we rotated the password to {} yesterday
I set the password to {}
Her email password is still {}
the guest network's password is {}
sudo password {}
The admin password was reset to {} after the incident
PASSWORD: {}
gpg --batch --passphrase {} -d file.gpg
openssl enc -d -aes-256-cbc -pass pass:{} -in f
7z x -p{} archive.7z
unzip -P {} archive.zip
smbclient //nas/share -U bob%{}
net use Z: \\\\nas\\share /user:bob {}
Das Passwort ist {}
la contraseña es {}
le mot de passe est {}
пароль: {}
パスワードは{}です
비밀번호는 {}
""".splitlines()

CHINESE_PASSWORDS = """\
密码是{}
我的密码是{}，别告诉别人
数据库密码：{}
家里wifi密码是{}
测试环境的登录密码为{}
口令：{}
口令是 {}
服务器root密码改成了{}
密码已经重置为 {}
用{}作为管理员密码
{}是我的密码
账号admin，密码{}
账号：admin 密码：{}
用户名 root 密码 {}
邮箱密码还是{}
开机密码设置成{}
压缩包的解压密码：{}
VPN 密码换成 {} 了
登录口令为{}
密码就用{}吧
数据库的密码 {}
支付密码是{}
""".splitlines()

# Values of a machine: (text); {} is the value
KEY_VALUES = ("{h32}", "{h40}", "{A32}", "{A40}", "{w43}", "{U}", "{b43}=")
KEYS = """\
DATADOG_API_KEY={}
dd-api-key: {}
my datadog api key is {}
CLOUDFLARE_API_TOKEN={}
the Cloudflare API token is {}
heroku api key: {}
HEROKU_API_KEY={}
api_key = "{}"
"apiKey": "{}"
x-api-key: {}
Ocp-Apim-Subscription-Key: {}
Authorization: Token {}
Authorization: Bearer {}
Authorization: {}
https://api.example.com/v1?access_token={}
https://api.example.com/v1?api_key={}&page=2
client_secret={}
"clientSecret": "{}"
SECRET_KEY_BASE={}
DJANGO_SECRET_KEY = '{}'
aws_secret_access_key = {}
AWS_SESSION_TOKEN={}
the secret key is {}
Here's the access token: {}
token: {}
refresh_token={}
use token {} for the staging API
JWT_SECRET={}
encryption key: {}
WEBHOOK_SECRET={}
TWILIO_AUTH_TOKEN={}
ALGOLIA_ADMIN_KEY={}
MISTRAL_API_KEY={}
cohere api key: {}
deepgram key is {}
wandb login with api key {}
pagerduty integration key: {}
the license key is {}
kubectl --token={} get pods
mycli --api-key {} run
Set-Cookie: session={}; Path=/; HttpOnly
Cookie: sid={}; theme=dark
//registry.npmjs.org/:_authToken={}
"auth": "{}"
AccountKey={}
SharedAccessKey={}
微信 appsecret：{}
阿里云的AccessKey Secret是{}
密钥：{}
百度的 secret key 是 {}
接口的令牌是{}
访问令牌：{}
api key 是 {}
私钥是{}
""".splitlines()

NUMBERS = """\
my PIN is {}
PIN: {}
the PIN for my card is {}
The door code is {}
alarm code: {}
my bank pin is {}
取款密码是{}
PIN码是{}
门禁码：{}
手机解锁密码是{}
""".splitlines()

OTHERS = {
    "pem": "-----BEGIN| RSA PRIVATE KEY-----\nMII{b61}\n{b64}\n{b64}\n{b20}==\n-----END| RSA PRIVATE KEY-----",
    "openssh": "-----BEGIN| OPENSSH PRIVATE KEY-----\n{b70}\n{b70}\n-----END| OPENSSH PRIVATE KEY-----",
    "pgp": "-----BEGIN| PGP PRIVATE KEY BLOCK-----\n\n{b64}\n{b64}\n=abcd\n-----END| PGP PRIVATE KEY BLOCK-----",
    "slack-webhook": "T{u9}/B{u10}/{A24}",
    "discord-webhook": "{w68}",
    "wireguard": "{b42}0=",
    "kubeconfig": "{b120}==",
    "presigned": "{h64}",
    "sas": "{b43}%3D",
    "otp": "{s32}",
    "dsn": "{h32}",
    "bcrypt": "$2b|$12${A53}",
    "jwk": "{w43}",
}
OTHER_FORMS = {
    "pem": "here is the key:\n{}\nthanks",
    "openssh": "{}",
    "pgp": "{}\n",
    "slack-webhook": "https://hooks.slack|.com/services/{}",
    "discord-webhook": "https://discord|.com/api/webhooks/1234567890123456789/{}",
    "wireguard": "[Interface]\nPrivateKey = {}\nAddress = 10.0.0.2/32",
    "kubeconfig": "    client-key-data: {}",
    "presigned": "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature={}",
    "sas": "https://a.blob.core.windows.net/c/b?sv=2022-11-02&sp=r&sig={}",
    "otp": "otpauth://totp/Example:me?secret={}&issuer=Example",
    "dsn": "https://{}@o12345.ingest.sentry.io/678",
    "bcrypt": "htpasswd line admin:{}",
    "jwk": '{{"kty":"oct","k":"{}","alg":"HS256"}}',
}

SEED_FORMS = ("{}", "seed phrase: {}", "my wallet's words are {}", "助记词是 {}")
_SEED_WORDS = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident zoo zone wolf"
    " winter window wheel voyage village velvet upset unlock tunnel trigger topic ticket talent sugar"
).split()


def secret_texts() -> list[Labelled]:
    """Every text that holds a secret."""
    return [*_tokens(), *_plain(), *_others()]


def _tokens() -> Iterator[Labelled]:
    for name, shape in TOKENS.items():
        token = made_up(shape, seed="token")
        for form, text in TOKEN_FORMS.items():
            yield Labelled(f"{name}/{form}", text.format(token), token)
        for place, hidden in enumerate(HIDDEN_FORMS):
            middle = len(token) // 2
            text = f"use {token[:middle]}{hidden}{token[middle:]} now"
            yield Labelled(f"{name}/hidden {place}", text, token[middle:])


def _plain() -> Iterator[Labelled]:
    for kind, templates, values in (
        ("english", ENGLISH_PASSWORDS, VALUES),
        ("chinese", CHINESE_PASSWORDS, VALUES),
        ("key", KEYS, KEY_VALUES),
        ("number", NUMBERS, ("{d4}", "{d6}")),
    ):
        for template in templates:
            for value in values:
                secret = made_up(value, seed=template)
                yield Labelled(f"{kind}: {template}", template.format(secret), secret)


def _others() -> Iterator[Labelled]:
    for name, shape in OTHERS.items():
        for seed in ("one", "two"):
            secret = made_up(shape, seed=seed)
            text = OTHER_FORMS[name].replace("|", "").format(secret)
            piece = secret.split("\n")[1] if "\n" in secret else secret
            yield Labelled(f"{name}/{seed}", text, piece or secret.split("\n")[2])
    for length in (12, 24):
        for form in SEED_FORMS:
            words = random.Random(f"{length}{form}").sample(_SEED_WORDS, length)
            yield Labelled(f"seed {length}/{form}", form.format(" ".join(words)), " ".join(words))
