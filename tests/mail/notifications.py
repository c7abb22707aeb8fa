"""Delivery status notifications as mail servers write them, about a message with a given Message-ID."""

HEADERS = """Return-Path: <bounces@example.com>
Received: from payroll.example.com (payroll.example.com [192.0.2.10])
	by mail.example.com (Postfix) with ESMTPS id 4Xz1kP2c9Zz3s
	for <siti@example.net>; Mon, 16 Nov 2026 09:30:01 +0800 (+08)
From: payroll@example.com
To: siti@example.net
Subject: Your payslip from Kopi Trading is ready
Date: Mon, 16 Nov 2026 01:30:00 +0000
Message-ID: {message_id}
Auto-Submitted: auto-generated
MIME-Version: 1.0
Content-Type: text/plain; charset="utf-8"
"""
BODY = """
Your payslip is ready.
Message-ID: <not.a.header@example.com>
"""

POSTFIX = (
    """Return-Path: <>
X-Original-To: bounces@example.com
Delivered-To: bounces@example.com
Received: by mail.example.com (Postfix)
	id 4Xz1kQ0xYbz3t; Mon, 16 Nov 2026 09:30:02 +0800 (+08)
Date: Mon, 16 Nov 2026 09:30:02 +0800 (+08)
From: MAILER-DAEMON@mail.example.com (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: bounces@example.com
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="4Xz1kP2c9Zz3s.1794619802/mail.example.com"
Content-Transfer-Encoding: 8bit
Message-Id: <4Xz1kQ0xYbz3t@mail.example.com>

This is a MIME-encapsulated message.

--4Xz1kP2c9Zz3s.1794619802/mail.example.com
Content-Description: Notification
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

This is the mail system at host mail.example.com.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

<siti@example.net>: host mx.example.net[192.0.2.25] said: 550 5.1.1
    <siti@example.net>: Recipient address rejected: User unknown in virtual
    mailbox table (in reply to RCPT TO command)

--4Xz1kP2c9Zz3s.1794619802/mail.example.com
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.com
X-Postfix-Queue-ID: 4Xz1kP2c9Zz3s
X-Postfix-Sender: rfc822; bounces@example.com
Arrival-Date: Mon, 16 Nov 2026 09:30:01 +0800 (+08)

Final-Recipient: rfc822; siti@example.net
Original-Recipient: rfc822;siti@example.net
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.example.net
Diagnostic-Code: smtp; 550 5.1.1 <siti@example.net>: Recipient address
    rejected: User unknown in virtual mailbox table

--4Xz1kP2c9Zz3s.1794619802/mail.example.com
Content-Description: Undelivered Message
Content-Type: message/rfc822
Content-Transfer-Encoding: 8bit

"""
    + HEADERS
    + BODY
    + "\n--4Xz1kP2c9Zz3s.1794619802/mail.example.com--\n"
)
POSTFIX_REASON = "5.1.1 550 5.1.1 <siti@example.net>: Recipient address rejected: User unknown in virtual mailbox table"

POSTFIX_DELAYED = (
    POSTFIX.replace("Undelivered Mail Returned to Sender", "Delayed Mail (still being retried)")
    .replace(
        "Action: failed\nStatus: 5.1.1",
        "Action: delayed\nStatus: 4.4.1\nWill-Retry-Until: Sat, 21 Nov 2026 09:30:01 +0800",
    )
    .replace("Content-Type: message/rfc822", "Content-Type: text/rfc822-headers")
)

EXIM = (
    """Return-path: <>
Envelope-to: bounces@example.com
Delivery-date: Mon, 16 Nov 2026 09:30:03 +0800
Received: from Debian-exim by mail.example.com with local (Exim 4.96)
	id 1vKabc-0004Xz-1k
	for bounces@example.com;
	Mon, 16 Nov 2026 09:30:03 +0800
X-Failed-Recipients: siti@example.net
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mail.example.com>
To: bounces@example.com
References: {message_id}
Content-Type: multipart/report; report-type=delivery-status; boundary=1794619803-eximdsn-846930886
MIME-Version: 1.0
Subject: Mail delivery failed: returning message to sender
Message-Id: <E1vKabc-0004Xz-1k@mail.example.com>
Date: Mon, 16 Nov 2026 09:30:03 +0800

--1794619803-eximdsn-846930886
Content-type: text/plain; charset=us-ascii

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  siti@example.net
    host mx.example.net [192.0.2.25]
    SMTP error from remote mail server after RCPT TO:<siti@example.net>:
    550 No such person at this address

--1794619803-eximdsn-846930886
Content-type: message/delivery-status

Reporting-MTA: dns; mail.example.com

Action: failed
Final-Recipient: rfc822;siti@example.net
Status: 5.0.0
Remote-MTA: dns; mx.example.net
Diagnostic-Code: smtp; 550 No such person at this address

--1794619803-eximdsn-846930886
Content-type: text/rfc822-headers

"""
    + HEADERS
    + "\n--1794619803-eximdsn-846930886--\n"
)
EXIM_REASON = "5.0.0 550 No such person at this address"

EXCHANGE = (
    """From: Microsoft Outlook <postmaster@example.net>
To: <bounces@example.com>
Subject: Undeliverable: Your payslip from Kopi Trading is ready
Date: Mon, 16 Nov 2026 01:30:04 +0000
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="=_Part_7"
In-Reply-To: {message_id}

--=_Part_7
Content-Type: multipart/alternative; boundary="=_Part_8"

--=_Part_8
Content-Type: text/plain; charset="us-ascii"

Your message to siti@example.net couldn't be delivered.

--=_Part_8
Content-Type: text/html; charset="us-ascii"

<p>Your message to siti@example.net couldn't be delivered.</p>

--=_Part_8--

--=_Part_7
Content-Type: message/delivery-status

Reporting-MTA: dns;mx.example.net
Received-From-MTA: dns;mail.example.com
Arrival-Date: Mon, 16 Nov 2026 01:30:03 +0000

Final-Recipient: rfc822;siti@example.net
Action: failed
Status: 5.2.2
X-Display-Name: siti

--=_Part_7
Content-Type: message/rfc822

"""
    + HEADERS
    + BODY
    + "\n--=_Part_7--\n"
)

READ_RECEIPT = """From: siti@example.net
To: bounces@example.com
Subject: Read: Your payslip from Kopi Trading is ready
MIME-Version: 1.0
Content-Type: multipart/report; report-type=disposition-notification; boundary="r"

--r
Content-Type: text/plain

Your message was displayed.

--r
Content-Type: message/disposition-notification

Final-Recipient: rfc822;siti@example.net
Original-Message-ID: {message_id}
Disposition: manual-action/MDN-sent-manually; displayed

--r--
"""

AUTOMATIC_REPLY = """From: siti@example.net
To: bounces@example.com
Subject: Out of office
In-Reply-To: {message_id}
Auto-Submitted: auto-replied

I am on leave until Monday.
"""


def notification(text: str, message_id: str) -> bytes:
    """Return a notification about a message."""
    return text.replace("{message_id}", message_id).encode()
